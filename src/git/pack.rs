//! One pack file for all objects of a commit, and its index.
//!
//! Two files to flush instead of one an object. The formats are those of git's documentation
//! (gitformat-pack: pack version 2, index version 2). What is written is read back through
//! libgit2 before anything refers to it, so a mistake here is an error, never a broken branch.

use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use git2::{ObjectType, Oid};
use sha1::{Digest as _, Sha1};

/// An object to pack.
pub struct Object {
    pub id: Oid,
    pub kind: ObjectType,
    pub data: Vec<u8>,
}

/// A pack and its index, ready to be written.
pub struct Pack {
    /// The hexadecimal digits in the files' names.
    pub name: String,
    pub pack: Vec<u8>,
    pub index: Vec<u8>,
}

/// Packs objects.
///
/// # Errors
/// An object of a kind that no pack holds, or a pack over 2 GiB.
pub fn pack(mut objects: Vec<Object>) -> std::io::Result<Pack> {
    objects.sort_by_key(|object| object.id);
    objects.dedup_by_key(|object| object.id);
    let mut pack = Vec::new();
    pack.extend_from_slice(b"PACK");
    pack.extend_from_slice(&2_u32.to_be_bytes());
    pack.extend_from_slice(&(objects.len() as u32).to_be_bytes());
    let mut places = Vec::with_capacity(objects.len());
    // One for all: its tables are larger than most objects.
    let mut deflate = Compress::new(Compression::fast(), true);
    for object in &objects {
        let start = pack.len();
        header(&mut pack, object)?;
        if object.kind == ObjectType::Tree && object.data.len() <= STORED {
            store(&object.data, &mut pack);
        } else {
            deflate.reset();
            compress(&mut deflate, &object.data, &mut pack)?;
        }
        let mut crc = Crc::new();
        crc.update(&pack[start..]);
        places.push((start as u32, crc.sum()));
    }
    if pack.len() > i32::MAX as usize {
        return Err(std::io::Error::other("the change is larger than 2 GiB"));
    }
    let checksum = Sha1::digest(&pack);
    pack.extend_from_slice(&checksum);
    let name = checksum.iter().map(|byte| format!("{byte:02x}")).collect();
    let index = index(&objects, &places, &checksum);
    Ok(Pack { name, pack, index })
}

/// Trees of so many bytes are stored as they are: nearly all of a tree are ids, and the tables of the deflater take longer
/// to clear than there is to gain.
const STORED: usize = 4_096;

/// Appends the zlib stream of a few bytes that are not compressed (RFC 1950, RFC 1951 section 3.2.4).
fn store(data: &[u8], out: &mut Vec<u8>) {
    let length = data.len() as u16;
    out.extend_from_slice(&[0x78, 0x01, 1]);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&(!length).to_le_bytes());
    out.extend_from_slice(data);
    // Adler-32: of so few bytes the sums stay below 2^32.
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in data {
        a += u32::from(*byte);
        b = (b + a) % 65_521;
    }
    out.extend_from_slice(&((b << 16) | (a % 65_521)).to_be_bytes());
}

/// Appends the zlib stream of some bytes.
fn compress(deflate: &mut Compress, data: &[u8], out: &mut Vec<u8>) -> std::io::Result<()> {
    let start = deflate.total_in();
    loop {
        // What remains, and room for the stream's own bytes.
        let done = (deflate.total_in() - start) as usize;
        out.reserve((data.len() - done) / 2 + 64);
        let status = deflate.compress_vec(&data[done..], out, FlushCompress::Finish);
        if status.map_err(std::io::Error::other)? == Status::StreamEnd {
            return Ok(());
        }
    }
}

/// Type and size: four bits of size in the first byte, seven in each further one.
fn header(out: &mut Vec<u8>, object: &Object) -> std::io::Result<()> {
    let kind: u8 = match object.kind {
        ObjectType::Commit => 1,
        ObjectType::Tree => 2,
        ObjectType::Blob => 3,
        _ => return Err(std::io::Error::other("an object of a kind that is not packed")),
    };
    let mut size = object.data.len();
    let mut byte = (kind << 4) | (size & 0x0f) as u8;
    size >>= 4;
    while size > 0 {
        out.push(byte | 0x80);
        byte = (size & 0x7f) as u8;
        size >>= 7;
    }
    out.push(byte);
    Ok(())
}

fn index(objects: &[Object], places: &[(u32, u32)], checksum: &[u8]) -> Vec<u8> {
    let mut index = vec![0xff, b't', b'O', b'c', 0, 0, 0, 2];
    for first in 0..=255_u8 {
        let below = objects.partition_point(|object| object.id.as_bytes()[0] <= first);
        index.extend_from_slice(&(below as u32).to_be_bytes());
    }
    for object in objects {
        index.extend_from_slice(object.id.as_bytes());
    }
    for (_, crc) in places {
        index.extend_from_slice(&crc.to_be_bytes());
    }
    for (start, _) in places {
        index.extend_from_slice(&start.to_be_bytes());
    }
    index.extend_from_slice(checksum);
    let own = Sha1::digest(&index);
    index.extend_from_slice(&own);
    index
}
