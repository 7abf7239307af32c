use super::*;
use crate::base::random::Random;

const CODECS: [CompressionType; 5] = [
    CompressionType::None,
    CompressionType::Snappy,
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
            compressor.compress(&sample, &mut packed).unwrap();
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
            assert!(codec == CompressionType::None || result.is_err(), "{codec} cut at {len}");
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
    for codec in [CompressionType::Snappy, CompressionType::Lz4, CompressionType::Zstd] {
        let error = decompress(codec, &[0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3]).unwrap_err();
        assert!(error.text().starts_with("Impossible uncompressed size"), "{codec}: {error}");
    }
}

#[test]
fn lacking_codecs_are_named() {
    for codec in [CompressionType::Zlib, CompressionType::Bzip2, CompressionType::Xpress] {
        let error = decompress(codec, b"abc").unwrap_err().to_string();
        assert!(error.starts_with("Not implemented: ") && error.ends_with(codec.property_name()));
        assert!(Compressor::new(codec, &CompressionOptions::default()).is_err());
    }
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
