/** Reports that a settings or policy file may have changed; folders are watched, so that atomic renames are seen. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { makePrivateFolder } from '../base/private-folder.ts';

/** Editors write in several steps; the last one counts, and comes within this time of the one before. */
const settleMs = 80;

export interface SettingsWatch {
  /** What changed since the watch began is reported at once. The function returned ends the reports. */
  follow(onSettled: () => void): () => void;
  close(): void;
}

/** To be started before the files are read, so that no change is missed. */
export function watchSettings(
  files: { settingsFile: string; policyFolder: string },
  onBlind: (folder: string) => void = () => {},
): SettingsWatch {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | null = null;
  let unreported = false;
  let report = () => {
    unreported = true;
  };

  function touch(): void {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      arm();
      report();
    }, settleMs);
  }

  function watchFolder(folder: string, concerns: (name: string) => boolean): void {
    if (watchers.has(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => {
        // A folder that was moved or removed is reported under its own name; another may stand in its place by now.
        const isItself = name === basename(folder) || !existsSync(folder);
        if (isItself) forget(folder);
        // Some systems report no file name: then it may be any file.
        if (isItself || name === null || concerns(name)) touch();
      });
      watcher.on('error', () => forget(folder));
      watchers.set(folder, watcher);
    } catch {
      onBlind(folder);
    }
  }

  function forget(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  /** Until a folder exists, the nearest existing one above it is watched. */
  function arm(): void {
    const { settingsFile, policyFolder } = files;
    const wanted = Map.groupBy([settingsFile, policyFolder].map(nearest), ({ folder }) => folder);
    for (const folder of watchers.keys())
      if (folder !== policyFolder && !wanted.has(folder)) forget(folder);
    for (const [folder, places] of wanted)
      watchFolder(folder, (name) => places.some((place) => place.name === name));
    if (existsSync(policyFolder)) watchFolder(policyFolder, (name) => name.endsWith('.json'));
  }

  // A missing folder can't be watched, and the settings may be written later.
  makePrivateFolder(dirname(files.settingsFile));
  arm();
  return {
    follow(onSettled) {
      report = onSettled;
      if (unreported) onSettled();
      return () => {
        report = () => {};
      };
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      for (const folder of [...watchers.keys()]) forget(folder);
    },
  };
}

/** The folder in which a change shows that this path, or a part of it, now exists. */
function nearest(path: string): { folder: string; name: string } {
  const folder = dirname(path);
  if (existsSync(folder) || dirname(folder) === folder) return { folder, name: basename(path) };
  return nearest(folder);
}
