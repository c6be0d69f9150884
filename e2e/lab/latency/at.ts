/** One query by our own client, directly to the server: sotto query NAME --at … */
import { commandLine } from '../../rig/available.ts';
import type { Stage } from './stage.ts';

export type Transport = 'udp' | 'tcp' | 'tdns' | 'dot';

interface Told {
  ok: boolean;
  /** from dialling to the response; the program's own start is not in it */
  ms: number;
}

export async function askAt(stage: Stage, transport: Transport): Promise<number> {
  const { address, name, ca } = stage.upstream.upstream('far');
  const isPrivate = transport === 'tdns' || transport === 'dot';
  const server = `${transport}://${address}${isPrivate ? `#${name}` : ''}`;
  const [asked = ''] = stage.names(1);
  const trust = isPrivate ? ['--ca', ca] : [];
  const { stdout, stderr } = await stage.link.client.run(process.execPath, [
    ...[commandLine, 'query', asked, '--at', server, ...trust, '--json'],
  ]);
  const told = JSON.parse(stdout || 'null') as Told | null;
  if (!told?.ok) throw new Error(`sotto query --at ${server} failed\n${stdout}${stderr}`);
  return told.ms;
}
