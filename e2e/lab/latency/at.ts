/** One question by our own client, straight to the server: sotto query NAME --at … */
import { commandLine } from '../../rig/available.ts';
import type { Site } from './site.ts';

export type Transport = 'udp' | 'tcp' | 'tdns' | 'dot';

interface Told {
  ok: boolean;
  /** from dialling to the answer; the program's own start is not in it */
  ms: number;
}

/** Milliseconds. */
export async function askAt(site: Site, transport: Transport): Promise<number> {
  const { address, name, ca } = site.upstream.upstream('far');
  const isPrivate = transport === 'tdns' || transport === 'dot';
  const server = `${transport}://${address}${isPrivate ? `#${name}` : ''}`;
  const [asked = ''] = site.names(1);
  const trust = isPrivate ? ['--ca', ca] : [];
  const { stdout, stderr } = await site.link.client.run(process.execPath, [
    ...[commandLine, 'query', asked, '--at', server, ...trust, '--json'],
  ]);
  const told = JSON.parse(stdout || 'null') as Told | null;
  if (!told?.ok) throw new Error(`sotto query --at ${server} failed\n${stdout}${stderr}`);
  return told.ms;
}
