use super::*;

fn parse(text: &str) -> Result<BackupMeta> {
    let sizes = [("private/3/CURRENT", 16), ("shared_checksum/000008_sA_9.sst", 9)];
    let sizes = sizes.map(|(name, size)| (name.to_string(), size)).into();
    let parser = MetaParser {
        dir: Path::new("/backups"),
        path: Path::new("/backups/meta/3"),
        sizes: &sizes,
    };
    parser.parse(text)
}

#[test]
fn what_is_written_is_read() {
    let file = |name: &str, size, crc| {
        Arc::new(BackupFile { name: name.into(), size, crc, temperature: 0 })
    };
    let files = vec![
        file("private/3/CURRENT", 16, Some(u32::MAX)),
        file("shared_checksum/000008_sA_9.sst", 9, Some(0)),
    ];
    for (schema, excluded) in [(1, Vec::new()), (2, vec!["shared_checksum/x_sA_1.sst".to_string()])]
    {
        let meta = BackupMeta {
            timestamp: 1_700_000_000,
            sequence: 4711,
            app_metadata: vec![0, 0xab, 0xff],
            files: files.clone(),
            excluded,
        };
        let text = meta.encode(schema);
        let read = parse(&text).unwrap();
        assert_eq!(read.files, meta.files);
        assert_eq!(read.excluded, meta.excluded);
        assert_eq!(read.app_metadata, meta.app_metadata);
        assert_eq!((read.timestamp, read.sequence), (meta.timestamp, meta.sequence));
        assert_eq!(read.size(), 25);
    }
    let text = "1\n2\n1\nprivate/3/CURRENT crc32 7\n";
    assert_eq!(parse(text).unwrap().encode(1), text);
}

#[test]
fn damage_is_told_as_by_rocksdb() {
    let file = "private/3/CURRENT crc32 7";
    let cases = [
        ("\n", "Corruption: Unexpected empty line"),
        (
            "",
            "Corruption: Inconsistent number of files or missing/incomplete header in /backups/meta/3",
        ),
        ("1\n2\n2\nprivate/3/CURRENT crc32 7\n", "Corruption: Inconsistent number of files"),
        (
            "1\n2\n1\nprivate/3/LOG crc32 7\n",
            "Corruption: Pathname in meta file not found on disk: /backups/private/3/LOG",
        ),
        (
            "1\n2\n1\n../../etc/passwd crc32 7\n",
            "Corruption: Pathname in meta file not found on disk: ",
        ),
        (
            "1\n2\n1\nprivate/3/CURRENT\n",
            "Corruption: File checksum is missing for private/3/CURRENT in /backups/meta/3",
        ),
        ("1\n2\n1\nprivate/3/CURRENT md5 7\n", "Corruption: Unknown checksum type for"),
        ("1\n2\n1\nprivate/3/CURRENT crc32 7 size 3\n", "Corruption: Extra data for entry"),
        ("1\n2\n1\nprivate/3/CURRENT crc32 07\n", "Corruption: Invalid checksum value for"),
        ("1\n2\n1\nprivate/3/CURRENT crc32 4294967296\n", "Corruption: Invalid checksum value for"),
        ("1\n2\nmetadata 6\n", "Corruption: Failed to decode stored hex"),
        ("1\n2\nother 6\n", "Corruption: Expected number of files or \"metadata\" field"),
        ("1\n2\nother\n", "Corruption: Expected number of files or meta field"),
        ("schema_version 3\n", "Not implemented: Unsupported/unrecognized schema version: 3"),
        (
            "schema_version 2.1\n1\n2\nni::x 1\n",
            "Not implemented: Unrecognized non-ignorable meta field ni::x",
        ),
        (
            "schema_version 2\n1\n2\n1\nprivate/3/CURRENT size 3\n",
            "Corruption: For file private/3/CURRENT expected size 3 but found size16",
        ),
        (
            "schema_version 2\n1\n2\n1\nprivate/3/CURRENT ni::x 3\n",
            "Not implemented: Unrecognized non-ignorable file field",
        ),
        (
            "schema_version 2\n1\n2\n1\nprivate/3/CURRENT crc32\n",
            "Corruption: Bad number of line components",
        ),
        (
            "schema_version 2\n1\n2\n0\n// FOOTER\nni::x 3\n",
            "Not implemented: Unrecognized non-ignorable field",
        ),
    ];
    for (text, expected) in cases {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text:?}: {error}");
    }
    // What may be ignored is.
    let text =
        format!("schema_version 2.7\n1\n2\nnew x\n1\n{file} new y temp kWarm\n// FOOTER\nz 1\n");
    assert_eq!(parse(&text).unwrap().files.len(), 1);
    assert_eq!(shared_names("x\nshared/1.sst crc32 1\n").collect::<Vec<_>>(), ["shared/1.sst"]);
}
