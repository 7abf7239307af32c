//! What a C header declares, as far as comparing two headers of one interface needs it.

use std::path::Path;

use crate::compiler::compiler;
use crate::library::run;

/// The declarations of one header, without those of the headers that it includes.
#[derive(Debug, Default)]
pub struct Declarations {
    /// Name and text of each function.
    pub functions: Vec<(String, String)>,
    /// Text of each type without a body.
    pub types: Vec<String>,
    /// Name and text of each struct with a body.
    pub structs: Vec<(String, String)>,
    /// The constants of all enums.
    pub constants: Vec<String>,
}

impl Declarations {
    /// Reads the header at `path`.
    pub fn read(path: &Path) -> Declarations {
        let text = run(compiler("c").arg("-w").arg("-E").arg(path));
        Declarations::parse(&only_own_lines(&text, path))
    }

    /// Reads preprocessed text.
    pub fn parse(text: &str) -> Declarations {
        let mut all = Declarations::default();
        for declaration in split(text) {
            all.add(declaration);
        }
        all
    }

    fn add(&mut self, text: String) {
        let body = text.find('{').zip(text.rfind('}'));
        let starts_with = |word| text.trim_start_matches("typedef ").starts_with(word);
        if let Some((open, close)) = body {
            if starts_with("enum") {
                let items = text[open + 1..close].split(',').map(first_word);
                self.constants.extend(items.filter(|word| !word.is_empty()));
            } else if starts_with("struct") {
                self.structs.push((last_word(&text), text));
            }
        } else if text.starts_with("typedef") {
            self.types.push(text);
        } else if let Some(open) = text.find('(') {
            self.functions.push((last_word(&text[..open]), text));
        }
    }

    /// The names of the functions, sorted.
    pub fn function_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.functions.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// Whether the function `name` is declared.
    pub fn has_function(&self, name: &str) -> bool {
        self.functions.iter().any(|(known, _)| known == name)
    }
}

/// The lines of the preprocessor's output that come from `path` itself.
fn only_own_lines(text: &str, path: &Path) -> String {
    let mut own = String::new();
    let mut keep = false;
    let marker = format!("\"{}\"", path.display());
    for line in text.lines() {
        if line.starts_with('#') {
            keep = line.contains(&marker);
        } else if keep {
            own.push_str(line);
            own.push('\n');
        }
    }
    own
}

/// The declarations, each on one line without its semicolon.
fn split(text: &str) -> Vec<String> {
    let mut declarations = Vec::new();
    let mut depth = 0;
    let mut current = String::new();
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' if depth == 0 => {
                let words: Vec<&str> = current.split_whitespace().collect();
                declarations.push(words.join(" "));
                current.clear();
                continue;
            }
            _ => {}
        }
        current.push(c);
    }
    declarations.retain(|declaration| !declaration.is_empty());
    declarations
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn first_word(text: &str) -> String {
    text.trim().chars().take_while(|c| is_word(*c)).collect()
}

fn last_word(text: &str) -> String {
    let text = text.trim_end();
    let start = text.rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
    text[start..].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_told_apart() {
        let all = Declarations::parse(
            "typedef struct a_t a_t;\nenum {\n a_one = 0,\n a_two = 1 << 1,\n};\n\
             extern a_t* a_make(\n  int n, void (*f)(void*));\n\
             typedef struct s_t { int x; } s_t;\ntypedef int (*a_cb)(a_t*);",
        );
        assert_eq!(all.function_names(), ["a_make"]);
        assert_eq!(all.constants, ["a_one", "a_two"]);
        assert_eq!(all.types, ["typedef struct a_t a_t", "typedef int (*a_cb)(a_t*)"]);
        assert_eq!(all.structs[0].0, "s_t");
    }

    #[test]
    fn lines_of_included_headers_are_left_out() {
        let text =
            "# 1 \"/x/c.h\"\nint a;\n# 1 \"/usr/include/b.h\"\nint b;\n# 3 \"/x/c.h\" 2\nint c;\n";
        assert_eq!(only_own_lines(text, Path::new("/x/c.h")), "int a;\nint c;\n");
    }
}
