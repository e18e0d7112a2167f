//! One pack file for all objects of a commit, and its index.
//!
//! Two files to flush instead of one an object: libgit2's loose objects cost two flushes each, and its packer gives a
//! file its name before it is flushed; `faults::what_exit_0_promises_survives_a_power_cut` allows neither. The formats
//! are those of git's documentation (gitformat-pack: pack version 2, index version 2). What is written is read back
//! through libgit2 before anything refers to it, so a mistake here is an error, never a broken branch.

use std::io::{Error, Result, Write as _};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use git2::{ObjectType, Oid};
use sha1::{Digest as _, Sha1};

/// An object to pack.
pub struct PackedObject {
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

/// Packs objects, each of them once and in the order of their ids.
///
/// # Errors
/// An object of a kind that no pack holds, or a pack over 2 GiB.
pub(crate) fn pack(objects: &[PackedObject]) -> Result<Pack> {
    let mut pack = Vec::new();
    pack.extend_from_slice(b"PACK");
    pack.extend_from_slice(&2_u32.to_be_bytes());
    pack.extend_from_slice(&(objects.len() as u32).to_be_bytes());
    let mut places = Vec::with_capacity(objects.len());
    for object in objects {
        let start = pack.len();
        write_header(&mut pack, object)?;
        let mut deflate = ZlibEncoder::new(pack, Compression::fast());
        deflate.write_all(&object.data)?;
        pack = deflate.finish()?;
        let mut crc = Crc::new();
        crc.update(&pack[start..]);
        places.push((start as u32, crc.sum()));
    }
    if pack.len() > i32::MAX as usize {
        return Err(Error::other("the change is larger than 2 GiB"));
    }
    let checksum = Sha1::digest(&pack);
    pack.extend_from_slice(&checksum);
    let name = checksum.iter().map(|byte| format!("{byte:02x}")).collect();
    let index = index(objects, &places, &checksum);
    Ok(Pack { name, pack, index })
}

/// Type and size: four bits of size in the first byte, seven in each further one.
fn write_header(out: &mut Vec<u8>, object: &PackedObject) -> Result<()> {
    let kind: u8 = match object.kind {
        ObjectType::Commit => 1,
        ObjectType::Tree => 2,
        ObjectType::Blob => 3,
        _ => return Err(Error::other("an object of a kind that is not packed")),
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

fn index(objects: &[PackedObject], places: &[(u32, u32)], checksum: &[u8]) -> Vec<u8> {
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
