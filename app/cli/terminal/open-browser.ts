/** Opens a file in the person's own browser, where there is a screen. */
import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

export function hasDisplay(environment: Environment, platform = process.platform): boolean {
  if (platform === 'darwin' || platform === 'win32') return true;
  return Boolean(environment['DISPLAY'] || environment['WAYLAND_DISPLAY']);
}

/** Resolves to whether a program could open it; the browser outlives this process. */
export function openBrowser(file: string, platform = process.platform): Promise<boolean> {
  const [command, args] = opener(file, platform);
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

function opener(file: string, platform: NodeJS.Platform): [string, string[]] {
  if (platform === 'darwin') return ['open', [file]];
  if (platform === 'win32') return ['explorer.exe', [file]];
  return ['xdg-open', [file]];
}
