use super::*;
use crate::base::random::Random;

const CODECS: [CompressionType; 6] = [
    CompressionType::Snappy,
    CompressionType::Zlib,
    CompressionType::Bzip2,
    CompressionType::Lz4,
    CompressionType::Lz4hc,
    CompressionType::Zstd,
];

fn samples() -> Vec<Vec<u8>> {
    let mut random = Random::from_env(11);
    let mut samples = vec![Vec::new(), b"x".to_vec(), vec![0; 1 << 20]];
    for len in [10, 100, 4096, 70_000] {
        samples.push(random.bytes(len));
        samples.push((0..len).map(|i| (i / 7 % 50) as u8).collect());
    }
    samples
}

#[test]
fn every_codec_round_trips() {
    for codec in CODECS {
        let mut compressor = Compressor::new(codec, &CompressionOptions::default()).unwrap();
        let mut packed = Vec::new();
        for sample in samples() {
            assert!(compressor.compress(&sample, &mut packed).unwrap());
            assert_eq!(decompress(codec, &packed).unwrap(), sample, "{codec} {}", sample.len());
        }
    }
}

#[test]
fn zstd_levels_round_trip() {
    for level in [-5, 1, 3, 9, 19, CompressionOptions::DEFAULT_LEVEL] {
        let options = CompressionOptions { level, checksum: true, ..Default::default() };
        let mut packed = Vec::new();
        for sample in samples() {
            compress(CompressionType::Zstd, &options, &sample, &mut packed).unwrap();
            assert_eq!(decompress(CompressionType::Zstd, &packed).unwrap(), sample);
        }
    }
}

#[test]
fn damaged_input_is_an_error_or_other_bytes_but_never_a_panic() {
    let mut random = Random::from_env(12);
    let sample: Vec<u8> = (0..300u32).map(|i| (i / 7 % 50) as u8).collect();
    for codec in CODECS {
        let mut packed = Vec::new();
        compress(codec, &CompressionOptions::default(), &sample, &mut packed).unwrap();
        for len in 0..packed.len() {
            let result = decompress(codec, &packed[..len]);
            assert!(result.is_err(), "{codec} cut at {len}");
        }
        for at in 0..packed.len() {
            let mut bad = packed.clone();
            bad[at] ^= 1 << random.below(8);
            let _ = decompress(codec, &bad);
        }
        for _ in 0..2000 {
            let len = random.below(40) as usize;
            let _ = decompress(codec, &random.bytes(len));
        }
    }
}

#[test]
fn impossible_sizes_are_refused_before_allocating() {
    for codec in [
        CompressionType::Snappy,
        CompressionType::Zlib,
        CompressionType::Lz4,
        CompressionType::Zstd,
    ] {
        let error = decompress(codec, &[0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3]).unwrap_err();
        assert!(error.text().starts_with("Impossible uncompressed size"), "{codec}: {error}");
    }
}

/// A declared size is no reason to take memory before the stream has filled what there is.
#[test]
fn bzip2_streams_of_other_sizes_than_they_declare_are_refused() {
    let mut packed = Vec::new();
    let sample = vec![7; 3 << 20];
    compress(CompressionType::Bzip2, &CompressionOptions::default(), &sample, &mut packed).unwrap();
    assert!(packed.len() < 3000);
    let (declared, at) = crate::base::coding::decode_varint32(&packed).unwrap();
    assert_eq!(declared as usize, sample.len());
    for other in [0, 1, declared - 1, declared + 1, u32::MAX] {
        let mut changed = Vec::new();
        crate::base::coding::put_varint32(&mut changed, other);
        changed.extend_from_slice(&packed[at..]);
        let error = decompress(CompressionType::Bzip2, &changed).unwrap_err();
        assert_eq!(error.text(), "Size mismatch decompressing bzip2 data", "{other}");
    }
}

/// Text with repetitions near and far, and with noise.
fn prose(len: usize) -> Vec<u8> {
    let mut random = Random::from_env(13);
    let words: Vec<Vec<u8>> = (0..300)
        .map(|_| {
            let len = 2 + random.below(9) as usize;
            random.bytes(len).iter().map(|b| b'a' + b % 26).collect()
        })
        .collect();
    let mut text = Vec::new();
    while text.len() < len {
        text.extend_from_slice(&words[random.below(300) as usize]);
        text.push(b' ');
    }
    text.truncate(len);
    text
}

fn packed_len(codec: CompressionType, options: &CompressionOptions, sample: &[u8]) -> usize {
    let mut packed = Vec::new();
    assert!(compress(codec, options, sample, &mut packed).unwrap());
    assert_eq!(decompress(codec, &packed).unwrap(), sample);
    packed.len()
}

#[test]
fn levels_strategies_and_windows_of_zlib_take_effect() {
    let sample = prose(60_000);
    let len = |options: CompressionOptions| packed_len(CompressionType::Zlib, &options, &sample);
    let usual = len(CompressionOptions::default());
    let with = |level| len(CompressionOptions { level, ..Default::default() });
    let lens: Vec<usize> = (0..=9).map(with).collect();
    assert!(lens[0] > sample.len() && lens[0] > lens[1] && lens[1] > lens[9], "{lens:?}");
    assert!(lens[1] != lens[3] && lens[3] != lens[9], "{lens:?}");
    assert_eq!(with(-1), usual);
    for strategy in 2..=4 {
        assert_ne!(len(CompressionOptions { strategy, ..Default::default() }), usual, "{strategy}");
    }
    let window = |window_bits| len(CompressionOptions { window_bits, ..Default::default() });
    assert!(window(-9) > window(-12) && window(-12) > window(-14));
    // Windows and headers that RocksDB's readers do not take are left out.
    assert_eq!([window(-15), window(15), window(14)], [usual; 3]);
}

#[test]
fn parameters_that_zlib_does_not_have_leave_blocks_unpacked() {
    let good = CompressionOptions::default();
    for bad in [
        CompressionOptions { level: 10, ..good.clone() },
        CompressionOptions { level: -2, ..good.clone() },
        CompressionOptions { strategy: 5, ..good.clone() },
        CompressionOptions { strategy: -1, ..good.clone() },
        CompressionOptions { window_bits: 8, ..good.clone() },
        CompressionOptions { window_bits: 31, ..good.clone() },
        CompressionOptions { window_bits: i32::MIN, ..good.clone() },
    ] {
        let packed = compress(CompressionType::Zlib, &bad, b"sample", &mut Vec::new()).unwrap();
        assert!(!packed, "{bad:?}");
    }
}

#[test]
fn lz4_and_lz4hc_share_one_scale_of_levels() {
    let sample = prose(150_000);
    let options = |level| CompressionOptions { level, ..Default::default() };
    let len = |codec, level| packed_len(codec, &options(level), &sample);
    let default = CompressionOptions::DEFAULT_LEVEL;
    for named in [CompressionType::Lz4, CompressionType::Lz4hc] {
        let real = |level| Compressor::new(named, &options(level)).unwrap().codec();
        assert_eq!(real(default), named);
        assert_eq!([real(-5), real(0), real(1)].map(|c| c as u8), [4, 4, 5]);
        assert!(len(named, -1) < len(named, -20) && len(named, -20) < len(named, -300));
        assert!(len(named, 1) < len(named, -1) && len(named, 3) < len(named, 1));
        assert!(len(named, 9) < len(named, 3) && len(named, 12) <= len(named, 9));
        assert_eq!(len(named, 99), len(named, 12));
        assert!(len(named, i32::MIN) <= sample.len() + sample.len() / 250);
    }
    assert_eq!(len(CompressionType::Lz4hc, default), len(CompressionType::Lz4hc, 9));
    assert_eq!(len(CompressionType::Lz4, default), len(CompressionType::Lz4, 0));
}

#[test]
fn dictionaries_of_every_kind_pack_and_unpack() {
    let text = prose(80_000);
    let (raw, blocks) = text.split_at(70_000);
    for (codec, level) in [
        (CompressionType::Zlib, 6),
        (CompressionType::Lz4, 0),
        (CompressionType::Lz4, -3),
        (CompressionType::Lz4hc, 1),
        (CompressionType::Lz4hc, 9),
        (CompressionType::Zstd, 3),
    ] {
        let options = CompressionOptions { level, ..Default::default() };
        let mut compressor = Compressor::new(codec, &options).unwrap();
        let mut packed = Vec::new();
        for len in [0, 1, 3, 4, 70, 20_000, raw.len()] {
            let dictionary = &raw[raw.len() - len..];
            let ready = (len > 0).then(|| Dictionary::new(dictionary.into()).unwrap());
            let (mut with, mut without) = (0, 0);
            for block in blocks.chunks(700).chain([&b""[..], b"short"]) {
                compressor.set_dictionary(&[]).unwrap();
                compressor.compress(block, &mut packed).unwrap();
                without += packed.len();
                assert_eq!(decompress(codec, &packed).unwrap(), block);
                compressor.set_dictionary(dictionary).unwrap();
                compressor.compress(block, &mut packed).unwrap();
                with += packed.len();
                let unpacked = decompress_with(codec, &packed, ready.as_ref()).unwrap();
                assert_eq!(unpacked, block, "{codec} {level} {len}");
            }
            assert!(len < 20_000 || with < without * 4 / 5, "{codec} {level} {len}: {with}");
        }
    }
}

#[test]
fn a_packer_of_lz4_forgets_the_blocks_before() {
    for level in [-2, 4] {
        let options = CompressionOptions { level, ..Default::default() };
        let mut many = Compressor::new(CompressionType::Lz4hc, &options).unwrap();
        let (mut one_of_many, mut alone) = (Vec::new(), Vec::new());
        for block in prose(200_000).chunks(3_000) {
            many.compress(block, &mut one_of_many).unwrap();
            compress(CompressionType::Lz4hc, &options, block, &mut alone).unwrap();
            assert_eq!(one_of_many, alone);
        }
    }
}

#[test]
fn lacking_codecs_are_named() {
    let codec = CompressionType::Xpress;
    let error = decompress(codec, b"abc").unwrap_err().to_string();
    assert!(error.starts_with("Not implemented: ") && error.ends_with(codec.property_name()));
    assert!(Compressor::new(codec, &CompressionOptions::default()).is_err());
    assert!(CompressionType::from_u8(0x85).unwrap_err().to_string().ends_with("Custom85"));
    assert!(CompressionType::from_u8(9).unwrap_err().to_string().ends_with("Reserved09"));
}

#[test]
fn names_round_trip() {
    for byte in 0..8 {
        let codec = CompressionType::from_u8(byte).unwrap();
        assert_eq!(codec as u8, byte);
        assert_eq!(CompressionType::from_property_name(codec.property_name()), Some(codec));
        assert_eq!(CompressionType::from_option_name(codec.option_name()), Some(codec));
    }
}
