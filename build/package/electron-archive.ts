/**
 * Electron as it was published: the archive that its own installer downloaded, unpacked anew after its digest was compared. What the
 * installer unpacked into node_modules may have been changed there since.
 */
import { createRequire } from 'node:module';
import { inRoot } from '../places.mjs';
import { requireLocked } from './place.ts';

const packageFile = inRoot('node_modules', 'electron', 'package.json');

/** Types of the two packages that Electron's installer uses, which are its dependencies and not ours. */
interface Installer {
  downloadArtifact(wanted: {
    version: string;
    artifactName: 'electron';
    platform: string;
    arch: string;
    checksums: Readonly<Record<string, string>>;
  }): Promise<string>;
  extract(archive: string, where: { dir: string }): Promise<void>;
}

export async function unpackElectron(folder: string): Promise<void> {
  const required = createRequire(packageFile);
  const { version } = required(packageFile) as { version: string };
  const { downloadArtifact } = required('@electron/get') as Pick<Installer, 'downloadArtifact'>;
  const { extract } = required('@electron-internal/extract-zip') as Pick<Installer, 'extract'>;
  const archive = await downloadArtifact({
    version,
    artifactName: 'electron',
    platform: process.platform,
    arch: process.arch,
    checksums: required('./checksums.json') as Record<string, string>,
  });
  requireLocked('electron', archive);
  await extract(archive, { dir: folder });
}
