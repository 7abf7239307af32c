//! One item of `--benchmarks`.

/// A workload and how often it runs: `NAME`, or `NAME[X3-W1]`.
#[derive(Debug, PartialEq, Eq)]
pub struct Item {
    pub name: String,
    /// Runs before those that are averaged.
    pub warmups: u32,
    pub repeats: u32,
}

/// The items of a list; empty ones are left out.
pub fn parse_list(list: &str) -> Result<Vec<Item>, String> {
    list.split(',').map(str::trim).filter(|text| !text.is_empty()).map(parse).collect()
}

fn parse(text: &str) -> Result<Item, String> {
    let mut item = Item { name: text.into(), warmups: 0, repeats: 1 };
    let Some((name, arguments)) = text.strip_suffix(']').and_then(|text| text.split_once('['))
    else {
        return Ok(item);
    };
    item.name = name.into();
    for argument in arguments.split('-').filter(|argument| !argument.is_empty()) {
        let unknown = || format!("unknown benchmark argument '{argument}' in '{text}'");
        let (kind, count) = argument.split_at_checked(1).ok_or_else(unknown)?;
        let count = count.parse().map_err(|_| unknown())?;
        match kind {
            "X" if count > 0 => item.repeats = count,
            "W" => item.warmups = count,
            _ => return Err(unknown()),
        }
    }
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_may_say_how_often_they_run() {
        let item = |name: &str, warmups, repeats| Item { name: name.into(), warmups, repeats };
        let list = parse_list("a,b[X3], c[W2-X4],,d[]");
        let wanted = vec![item("a", 0, 1), item("b", 0, 3), item("c", 2, 4), item("d", 0, 1)];
        assert_eq!(list, Ok(wanted));
        for bad in ["a[Y1]", "a[X]", "a[X0]", "a[Wx]", "a[é1]"] {
            assert!(parse_list(bad).unwrap_err().contains(bad), "{bad}");
        }
    }
}
