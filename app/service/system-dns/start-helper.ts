/** The line that starts sotto-helper, for a person to copy into a terminal. */
import { builtProgram } from '../../installation.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** By systemd for the machine's service; else for the one person whose shell reads the line. */
export function lineToStartHelper(
  environment: Environment = process.env,
  helper = builtProgram('sotto-helper'),
): string {
  if (environment['SOTTO_MODE'] === 'system') return 'sudo systemctl start sotto-helper.socket';
  const image = environment['APPIMAGE'];
  const program =
    image === undefined || image === '' ? quoted(helper) : `${quoted(image)} --helper`;
  return `sudo ${program} --for "$USER"`;
}

/** For a shell of POSIX. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
