//! Objects read from the files that hold them: packs (gitformat-pack), loose files (gitformat-loose),
//! and those of other repositories that `info/alternates` names. What is not found here, or is not
//! what it should be, is asked of libgit2, which knows more places and says what is wrong.
//!
//! Two things make it fast. An object in a pack is often stored as what differs from another one, its
//! base: the old and the new text of a document mostly are in one such chain. What was decoded on the
//! way is remembered for a while, so that what two objects have in common is decompressed once. And the
//! size of everything is known before, so that it is decompressed in one step into its place.
//!
//! Nothing is believed that a pack says of itself: every size is compared with what came out, every copy
//! with the bounds of its base, a chain has an end, and zlib's checksum covers every entry. Hashes are
//! not computed again, as git does not when it reads.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use git2::{ObjectType, Oid};
use gix_pack::data::entry::Header;
use gix_pack::{data, index};
use gix_zlib::{Inflate, Status};

use super::cut_off::cut_off;

/// An object's bytes, shared by the caches that keep them.
pub type Bytes = Arc<Vec<u8>>;

/// The files of a repository that hold objects, and what was decoded of late; a clone shares both.
#[derive(Clone)]
pub struct Packs {
    folder: PathBuf,
    /// Opened when something is asked for.
    open: Arc<OnceLock<Open>>,
    recent: Arc<Mutex<Recent>>,
}

struct Open {
    /// The folders of objects: the repository's own, and the alternates.
    folders: Vec<PathBuf>,
    packs: Vec<Pack>,
    /// The pack that had the last object: it is asked first.
    last: AtomicUsize,
}

struct Pack {
    path: PathBuf,
    index: index::File<gix_pack::MMap>,
    data: OnceLock<Option<data::File<gix_pack::MMap>>>,
}

/// What decompressing needs, once a thread.
#[derive(Default)]
pub struct Buffers {
    inflate: Inflate,
    delta: Vec<u8>,
}

/// Alternates of alternates are followed this far, as git does.
const DEEPEST: usize = 5;
/// git writes chains of 50, and never more than 4,095.
const LONGEST: usize = 4_096;
/// What zlib makes of a byte at most.
const DENSEST: u64 = 1_040;

impl Packs {
    /// The objects below a folder `objects`; so many bytes of what was decoded are remembered.
    pub fn at(folder: PathBuf, memory: usize) -> Packs {
        Packs { folder, open: Arc::default(), recent: Recent::shared(memory) }
    }

    /// The same files with a memory of its own.
    pub fn remembering(&self, memory: usize) -> Packs {
        Packs { recent: Recent::shared(memory), ..self.clone() }
    }

    /// An object of no more than so many bytes; none where it is not found here, or cannot be read.
    pub fn read(&self, id: Oid, most: u64, buffers: &mut Buffers) -> Option<(ObjectType, Bytes)> {
        let open = self.open.get_or_init(|| Open::at(&self.folder));
        let hash = gix_hash::oid::try_from_bytes(id.as_bytes()).ok()?;
        match open.find(hash) {
            Some((at, place)) => self.packed(&open.packs[at], (at, place), most, buffers),
            None => open.folders.iter().find_map(|folder| loose(folder, id, most, buffers)),
        }
    }

    /// What is wrong with an object that is stored by itself and is cut off.
    pub fn cut_off(&self, id: Oid) -> Option<super::Error> {
        let name = id.to_string();
        let (begin, rest) = name.split_at_checked(2)?;
        let folders = &self.open.get_or_init(|| Open::at(&self.folder)).folders;
        folders.iter().find_map(|folder| cut_off(&folder.join(begin).join(rest)))
    }

    /// The object at a place of a pack: its chain is walked down to something known, and up again.
    fn packed(
        &self,
        pack: &Pack,
        (at, mut place): Place,
        most: u64,
        buffers: &mut Buffers,
    ) -> Option<(ObjectType, Bytes)> {
        let data = pack.data()?;
        let mut chain = Vec::new();
        let (kind, mut bytes) = loop {
            if let Some(found) = self.recent().get((at, place)) {
                break found;
            }
            let entry = data.entry(place).ok()?;
            // What is asked for is not much smaller than what it is stored as, a delta or all of it.
            if entry.decompressed_size > most {
                return None;
            }
            let next = match entry.header {
                Header::OfsDelta { base_distance } => entry.checked_base_pack_offset(base_distance)?,
                Header::RefDelta { base_id } => pack.find(&base_id)?,
                whole => {
                    let mut bytes = Vec::new();
                    inflate(data, &entry, &mut buffers.inflate, &mut bytes)?;
                    break self.remember((at, place), kind_of(whole)?, bytes);
                }
            };
            chain.push((place, entry));
            if chain.len() > LONGEST {
                return None;
            }
            place = next;
        };
        while let Some((place, entry)) = chain.pop() {
            inflate(data, &entry, &mut buffers.inflate, &mut buffers.delta)?;
            bytes = self.remember((at, place), kind, applied(&bytes, &buffers.delta, most)?).1;
        }
        Some((kind, bytes))
    }

    fn remember(&self, place: Place, kind: ObjectType, bytes: Vec<u8>) -> (ObjectType, Bytes) {
        let bytes = Arc::new(bytes);
        self.recent().put(place, (kind, Arc::clone(&bytes)));
        (kind, bytes)
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        // Its last holder only moved whole entries.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn at(folder: &Path) -> Open {
        let mut folders = Vec::new();
        with_alternates(folder.to_owned(), 0, &mut folders);
        let packs = folders.iter().flat_map(|folder| packs_in(&folder.join("pack"))).collect();
        Open { folders, packs, last: AtomicUsize::new(0) }
    }

    /// The pack that has an object, and where.
    fn find(&self, id: &gix_hash::oid) -> Option<(usize, u64)> {
        let last = self.last.load(Ordering::Relaxed);
        let has = |at: usize| Some((at, self.packs.get(at)?.find(id)?));
        let found = has(last).or_else(|| (0..self.packs.len()).filter(|at| *at != last).find_map(has))?;
        self.last.store(found.0, Ordering::Relaxed);
        Some(found)
    }
}

/// The folders of objects that are to be looked into.
pub(super) fn with_alternates(folder: PathBuf, depth: usize, found: &mut Vec<PathBuf>) {
    if depth > DEEPEST || found.contains(&folder) {
        return;
    }
    let alternates = fs::read_to_string(folder.join("info/alternates")).unwrap_or_default();
    let own = folder.clone();
    found.push(folder);
    for line in alternates.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '"'])) {
        with_alternates(own.join(line), depth + 1, found);
    }
}

/// The packs of a folder that have an index which can be read.
fn packs_in(folder: &Path) -> Vec<Pack> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let pack = |path: PathBuf| {
        let index = index::File::at(&path, gix_hash::Kind::Sha1).ok()?;
        Some(Pack { path: path.with_extension("pack"), index, data: OnceLock::new() })
    };
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "idx")).filter_map(pack).collect()
}

impl Pack {
    fn find(&self, id: &gix_hash::oid) -> Option<u64> {
        self.index.lookup(id).map(|at| self.index.pack_offset_at_index(at))
    }

    fn data(&self) -> Option<&data::File<gix_pack::MMap>> {
        self.data.get_or_init(|| data::File::at(&self.path, gix_hash::Kind::Sha1).ok()).as_ref()
    }
}

fn kind_of(header: Header) -> Option<ObjectType> {
    match header {
        Header::Blob => Some(ObjectType::Blob),
        Header::Tree => Some(ObjectType::Tree),
        Header::Commit => Some(ObjectType::Commit),
        Header::Tag => Some(ObjectType::Tag),
        Header::OfsDelta { .. } | Header::RefDelta { .. } => None,
    }
}

/// What an entry holds, decompressed into a buffer whose former contents go.
fn inflate(
    data: &data::File<gix_pack::MMap>,
    entry: &data::Entry,
    inflate: &mut Inflate,
    out: &mut Vec<u8>,
) -> Option<()> {
    let stored = (data.data_len() as u64).checked_sub(entry.data_offset)?;
    if entry.decompressed_size / DENSEST > stored {
        return None;
    }
    room(out, entry.decompressed_size)?;
    out.resize(usize::try_from(entry.decompressed_size).ok()?, 0);
    data.decompress_entry(entry, inflate, out).ok().map(|_| ())
}

/// An empty buffer with room; none where there is not as much memory.
fn room(out: &mut Vec<u8>, size: u64) -> Option<()> {
    out.clear();
    out.try_reserve_exact(usize::try_from(size).ok()?).ok()
}

/// What a delta makes of its base (gitformat-pack, "Deltified representation").
fn applied(base: &[u8], delta: &[u8], most: u64) -> Option<Vec<u8>> {
    let mut rest = delta;
    if size(&mut rest)? != base.len() as u64 {
        return None;
    }
    let length = size(&mut rest).filter(|length| *length <= most)?;
    let mut out = Vec::new();
    room(&mut out, length)?;
    while let Some((command, more)) = rest.split_first() {
        rest = more;
        let bytes = match command {
            0 => return None,
            1..=0x7f => {
                let (bytes, more) = rest.split_at_checked(usize::from(*command))?;
                rest = more;
                bytes
            }
            _ => {
                let start = number(&mut rest, *command, 0, 4)?;
                let length = number(&mut rest, *command, 4, 3)?;
                let length = if length == 0 { 0x1_0000 } else { length };
                base.get(start..start.checked_add(length)?)?
            }
        };
        if bytes.len() as u64 > length - out.len() as u64 {
            return None;
        }
        out.extend_from_slice(bytes);
    }
    (out.len() as u64 == length).then_some(out)
}

/// A size: seven bits a byte, the lowest first.
fn size(rest: &mut &[u8]) -> Option<u64> {
    let (mut found, mut shift) = (0_u64, 0);
    loop {
        let (byte, more) = rest.split_first()?;
        *rest = more;
        found |= u64::from(byte & 0x7f).checked_shl(shift).filter(|_| shift < 63)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(found);
        }
    }
}

/// A number of a copy: its bytes follow for which a bit of the command is set.
fn number(rest: &mut &[u8], command: u8, first: u32, bytes: u32) -> Option<usize> {
    let mut found = 0_u32;
    for at in 0..bytes {
        if command & (1 << (first + at)) != 0 {
            let (byte, more) = rest.split_first()?;
            *rest = more;
            found |= u32::from(*byte) << (8 * at);
        }
    }
    usize::try_from(found).ok()
}

/// A loose object: kind, size and bytes as one zlib stream.
fn loose(folder: &Path, id: Oid, most: u64, buffers: &mut Buffers) -> Option<(ObjectType, Bytes)> {
    let hex = id.to_string();
    let stored = fs::read(folder.join(&hex[..2]).join(&hex[2..])).ok()?;
    let mut head = [0; 64];
    buffers.inflate.reset();
    let (_, _, written) = buffers.inflate.prefix(&stored, &mut head).ok()?;
    let end = memchr::memchr(0, &head[..written])?;
    let (kind, size) = std::str::from_utf8(&head[..end]).ok()?.split_once(' ')?;
    let kind = ObjectType::from_str(kind)?;
    let size: u64 = size.parse().ok()?;
    if size > most || size / DENSEST > stored.len() as u64 {
        return None;
    }
    let mut bytes = Vec::new();
    let whole = size.checked_add(end as u64 + 1)?;
    room(&mut bytes, whole)?;
    bytes.resize(usize::try_from(whole).ok()?, 0);
    buffers.inflate.reset();
    let (status, _, written) = buffers.inflate.once(&stored, &mut bytes).ok()?;
    if status != Status::StreamEnd || written != bytes.len() {
        return None;
    }
    bytes.drain(..=end);
    Some((kind, Arc::new(bytes)))
}

/// A pack, and a place in it.
type Place = (usize, u64);

type Generation = HashMap<Place, (ObjectType, Bytes), foldhash::fast::RandomState>;

/// What was decoded of late: two generations, of which the elder goes when the younger is full.
struct Recent {
    young: Generation,
    old: Generation,
    /// Bytes of the younger generation, and how many a generation may have.
    size: usize,
    most: usize,
}

impl Recent {
    fn of(memory: usize) -> Recent {
        Recent { young: HashMap::default(), old: HashMap::default(), size: 0, most: memory / 2 }
    }

    fn shared(memory: usize) -> Arc<Mutex<Recent>> {
        Arc::new(Mutex::new(Recent::of(memory)))
    }

    fn get(&mut self, place: Place) -> Option<(ObjectType, Bytes)> {
        if let Some(found) = self.young.get(&place) {
            return Some(found.clone());
        }
        let found = self.old.remove(&place)?;
        self.put(place, found.clone());
        Some(found)
    }

    fn put(&mut self, place: Place, object: (ObjectType, Bytes)) {
        self.size += object.1.len();
        if self.size > self.most {
            self.size = object.1.len();
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(place, object);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_copies_and_inserts() {
        // From five bytes to eight: the last three of the base, two of its own, the first three.
        let delta = [5, 8, 0x91, 2, 3, 2, b'x', b'y', 0x90, 3];
        assert_eq!(applied(b"abcde", &delta, 9).as_deref(), Some(&b"cdexyabc"[..]));
        assert_eq!(applied(b"", &[0, 0], 9).as_deref(), Some(&b""[..]));
    }

    #[test]
    fn a_delta_that_is_not_what_it_says_is_none() {
        for delta in [
            &[4, 1, 1, b'x'][..],                                                   // of another base
            &[5, 2, 1, b'x'],                                                       // shorter than it says
            &[5, 0, 1, b'x'],                                                       // longer than it says
            &[5, 9, 0x91, 4, 3],                                                    // copies beyond the base
            &[5, 9, 0x91, 4],                                                       // cut off in a copy
            &[5, 3, 3, b'x'],                           // cut off in what it inserts
            &[5, 1, 0],                                 // a command that there is not
            &[5],                                       // no size
            &[5, 10, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9], // longer than is wanted
            &[0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1], // a size without end
        ] {
            assert_eq!(applied(b"abcde", delta, 9), None, "{delta:?}");
        }
    }

    #[test]
    fn the_elder_generation_goes_and_what_is_asked_for_stays() {
        let mut recent = Recent::of(8);
        let object = |byte: u8| (ObjectType::Blob, Arc::new(vec![byte; 2]));
        for place in 0..2 {
            recent.put((0, place), object(1));
        }
        recent.put((0, 2), object(2));
        assert!(recent.get((0, 0)).is_some());
        recent.put((0, 3), object(3));
        assert!(recent.get((0, 1)).is_none() && recent.get((0, 0)).is_some());
    }
}
