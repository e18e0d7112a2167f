// Plans where each photo goes. Reads nothing and moves nothing: callers pass in what they know.
import path from "node:path";

const PHOTO_EXTENSIONS = new Set([".jpg", ".jpeg", ".heic", ".dng", ".png"]);

/** True for a file that the planner handles. Hidden files are left alone. */
export function isPhoto(name) {
  return !name.startsWith(".") && PHOTO_EXTENSIONS.has(path.extname(name).toLowerCase());
}

/**
 * Day on which a photo was taken, as YYYY-MM-DD, or null.
 * EXIF writes "2024:07:31 23:58:10" in the local time of the camera; it is used as written, no zone is applied.
 */
export function takenOn(photo) {
  const text = photo.exif?.DateTimeOriginal;
  if (!text || text.startsWith("0000")) return null;
  return text.slice(0, 10).replaceAll(":", "-");
}

/** Folder below the target, for example "2024/2024-07-31". */
export function folderFor(photo) {
  const day = takenOn(photo);
  if (day === null) return "undated";
  return path.posix.join(day.slice(0, 4), day);
}

/** The first free name: "a.jpg", then "a-1.jpg", "a-2.jpg" and so on. */
export function freeName(name, taken) {
  if (!taken.has(name)) return name;
  const { name: base, ext } = path.parse(name);
  let number = 1;
  while (taken.has(`${base}-${number}${ext}`)) number += 1;
  return `${base}-${number}${ext}`;
}

/** Two photos count as the same picture. */
export function isDuplicate(photo, other) {
  return photo.size === other.size && takenOn(photo) === takenOn(other);
}

/**
 * @param photos   [{ name, size, exif }] in the source, in the order of their names
 * @param existing Map from a folder to the photos that are already there
 * @returns {{ moves: {from, to}[], duplicates: string[] }}
 */
export function plan(photos, existing) {
  const moves = [];
  const duplicates = [];
  for (const photo of photos.filter((each) => isPhoto(each.name))) {
    const folder = folderFor(photo);
    const present = existing.get(folder) ?? [];
    if (present.some((other) => isDuplicate(photo, other))) {
      duplicates.push(photo.name);
      continue;
    }
    const name = freeName(photo.name, new Set(present.map((other) => other.name)));
    moves.push({ from: photo.name, to: path.posix.join(folder, name) });
    existing.set(folder, [...present, { ...photo, name }]);
  }
  return { moves, duplicates };
}
