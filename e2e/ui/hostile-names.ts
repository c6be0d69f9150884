/** Names and records that attack programs which show them, in a zone of their own. */
import type { Lab } from '../rig/lab.ts';
import { writeZone } from '../rig/zones/zone-file.ts';

const suffix = 'hostile.example';

/** The content of each label, and how DNS writes it (RFC 4343, section 2.1), where an octet may be written as its number. */
const labels = {
  control: '\u001b[31mred\u0007\r\n\0',
  bidirectional: '\u202egpj.exe\u2066',
  markup: '<img src=x onerror=alert(1)>',
  formula: "=cmd|'/c calc'!a1",
  shell: "-x';$(reboot)`id`|",
} as const;

export const names = Object.values(labels).map((label) => [Buffer.from(label), ...tail()]);
/** Its TXT records have ten thousand octets with all values. */
export const talkative = [Buffer.from('talkative'), ...tail()];

function tail(): Buffer[] {
  return suffix.split('.').map((label) => Buffer.from(label));
}

export async function hostileZone(lab: Lab): Promise<string> {
  const owners = Object.values(labels).map((label) => `${decimal(label)} A 192.0.2.7`);
  const texts = Object.values(labels).map(decimal);
  const long = Array.from({ length: 40 }, (_, number) =>
    decimal(`${number}${'x\u202e'.repeat(62)}`),
  );
  const records = [...texts, ...long].map((text) => `talkative TXT "${text}"`);
  const { file } = await writeZone(lab, suffix, [...owners, ...records]);
  return file;
}

/** Writes every octet as its number. */
function decimal(text: string): string {
  return Array.from(Buffer.from(text), (octet) => `\\${String(octet).padStart(3, '0')}`).join('');
}
