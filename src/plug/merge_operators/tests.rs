use super::*;
use crate::plug::merge_operator::merge_fully;

fn operator(id: &str) -> Arc<dyn MergeOperator> {
    from_id(id, &[]).unwrap().unwrap()
}

fn full(id: &str, existing: Option<&[u8]>, operands: &[&[u8]]) -> Option<Vec<u8>> {
    let mut out = b"left over".to_vec();
    merge_fully(&*operator(id), b"key", existing, operands, &mut out).ok().map(|()| out)
}

fn partial(id: &str, operands: &[&[u8]]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    operator(id).partial_merge(b"key", operands, &mut out).then_some(out)
}

#[test]
fn names_and_nicknames_lead_to_operators() {
    for (nickname, name) in [
        ("uint64add", "UInt64AddOperator"),
        ("stringappend", "StringAppendOperator"),
        ("stringappendtest", "StringAppendTESTOperator"),
        ("max", "MaxOperator"),
        ("put", "PutOperator"),
        ("put_v1", "PutOperator"),
        ("bytesxor", "BytesXOR"),
        ("sortlist", "MergeSortOperator"),
    ] {
        assert_eq!(operator(nickname).name(), name);
        assert_eq!(operator(name).name(), name);
    }
    assert!(from_id("some.Operator", &[]).unwrap().is_none());
    let delimiter = [("delimiter".to_string(), "|".to_string())];
    assert!(from_id("max", &delimiter).is_err());
    let append = from_id("stringappend", &delimiter).unwrap().unwrap();
    assert_eq!(append.options(), [("delimiter", "|".to_string())]);
}

#[test]
fn numbers_are_added() {
    let n = |n: u64| n.to_le_bytes();
    assert_eq!(full("uint64add", Some(&n(5)), &[&n(6), &n(7)]).unwrap(), n(18));
    assert_eq!(full("uint64add", None, &[&n(u64::MAX), &n(3), b"short"]).unwrap(), n(2));
    assert_eq!(full("uint64add", Some(b"long, very long"), &[&n(3)]).unwrap(), n(3));
    assert_eq!(partial("uint64add", &[&n(1), &n(2)]).unwrap(), n(3));
}

#[test]
fn strings_are_appended() {
    for id in ["stringappend", "stringappendtest"] {
        assert_eq!(full(id, Some(b"a"), &[b"b", b"c"]).unwrap(), b"a,b,c");
        assert_eq!(full(id, Some(b""), &[b"b"]).unwrap(), b",b");
        assert_eq!(full(id, None, &[b"b", b"", b"c"]).unwrap(), b"b,,c");
    }
    assert_eq!(partial("stringappend", &[b"b", b"c"]).unwrap(), b"b,c");
    assert_eq!(partial("stringappendtest", &[b"b", b"c"]), None);
}

#[test]
fn the_largest_and_the_newest_win() {
    assert_eq!(full("max", Some(b"c"), &[b"b", b"ca"]).unwrap(), b"ca");
    assert_eq!(full("max", Some(b"d"), &[b"b", b"ca"]).unwrap(), b"d");
    assert_eq!(partial("max", &[b"b", b"a"]).unwrap(), b"b");
    assert_eq!(full("put", Some(b"d"), &[b"b", b"a"]).unwrap(), b"a");
    assert_eq!(partial("put", &[b"b", b"a"]).unwrap(), b"a");
}

#[test]
fn bytes_are_xored() {
    assert_eq!(full("bytesxor", Some(&[1, 2]), &[&[3], &[4, 4, 9]]).unwrap(), [6, 6, 9]);
    assert_eq!(partial("bytesxor", &[&[1, 1], &[1]]).unwrap(), [0, 1]);
}

#[test]
fn lists_are_merged() {
    assert_eq!(full("sortlist", Some(b"100"), &[b"1,5,7", b"-2,6"]).unwrap(), b"-2,1,5,6,7");
    assert_eq!(partial("sortlist", &[b"3", b"2", b"1"]).unwrap(), b"1,2,3");
    assert_eq!(full("sortlist", None, &[b"1,x"]), None);
    assert_eq!(full("sortlist", None, &[b"99999999999"]), None);
}

#[test]
fn a_failure_is_a_corruption() {
    let mut out = Vec::new();
    let error = merge_fully(&SortList, b"", None, &[b"x"], &mut out).unwrap_err();
    assert_eq!(error.to_string(), "Corruption: Merge operator failed");
}
