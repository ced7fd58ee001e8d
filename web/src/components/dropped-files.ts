/** The most files that are taken from dropped folders. */
const MAX_FILES = 5000;

/** The files that were dropped, with those of dropped folders. */
export async function readDropped(dropped: DataTransfer): Promise<readonly File[]> {
  // Both lists are empty after the event, so they are read before the first pause.
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry());
  const plain = [...dropped.files];
  if (entries.every((entry) => entry?.isDirectory !== true)) return plain;
  const files: File[] = [];
  for (const entry of entries) if (entry !== null) await collect(entry, files);
  return files;
}

async function collect(entry: FileSystemEntry, files: File[]): Promise<void> {
  if (files.length >= MAX_FILES) return;
  if (isFile(entry)) {
    const file = await new Promise<File | undefined>((resolve) =>
      entry.file(resolve, () => resolve(undefined)),
    );
    if (file !== undefined) files.push(file);
  } else if (isFolder(entry)) {
    const reader = entry.createReader();
    for (;;) {
      // A call returns some of the entries, and none after the last.
      const some = await new Promise<FileSystemEntry[]>((resolve) =>
        reader.readEntries(resolve, () => resolve([])),
      );
      if (some.length === 0) return;
      for (const one of some) await collect(one, files);
    }
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
