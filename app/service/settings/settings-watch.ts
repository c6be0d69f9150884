/** Tells when a settings or policy file may have changed; folders are watched, so that atomic renames are seen. */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { makePrivateFolder } from '../private-folder.ts';

/** Editors write in several steps; the last one counts, and comes within this time of the one before. */
const settleMs = 80;

export function watchSettings(
  files: { settingsFile: string; policyFolder: string },
  onSettled: () => void,
  onBlind: (folder: string) => void = () => {},
): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | null = null;

  function touch(): void {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      timer = null;
      arm();
      onSettled();
    }, settleMs);
  }

  function watchFolder(folder: string, concerns: (name: string) => boolean): void {
    if (watchers.has(folder) || !existsSync(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => {
        if (!existsSync(folder)) forget(folder);
        // Some systems name no file: then it may be any.
        if (name === null || concerns(name)) touch();
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

  /** A folder that appears later is seen by its parent's watcher. */
  function arm(): void {
    const settingsName = basename(files.settingsFile);
    const policyName = basename(files.policyFolder);
    const settingsFolder = dirname(files.settingsFile);
    const policyParent = dirname(files.policyFolder);
    if (settingsFolder === policyParent) {
      watchFolder(settingsFolder, (name) => name === settingsName || name === policyName);
    } else {
      watchFolder(settingsFolder, (name) => name === settingsName);
      watchFolder(policyParent, (name) => name === policyName);
    }
    watchFolder(files.policyFolder, (name) => name.endsWith('.json'));
  }

  // What isn't there can't be watched, and the settings may be written later.
  makePrivateFolder(dirname(files.settingsFile));
  arm();
  return () => {
    if (timer !== null) clearTimeout(timer);
    for (const folder of [...watchers.keys()]) forget(folder);
  };
}
