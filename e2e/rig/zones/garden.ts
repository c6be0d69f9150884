/** The public zone of the lab: garden.example, with everything that a stub must pass on unchanged. */
import type { Lab } from '../lab.ts';
import { writeZone, type Zone } from './zone-file.ts';

export const garden = 'garden.example';
export const plantCount = 300;

export function plant(number: number): string {
  return `plant${number}.${garden}`;
}

export function plantAddress(number: number): string {
  return `198.51.100.${number % 250}`;
}

export async function gardenZone(lab: Lab): Promise<Zone> {
  return await writeZone(lab, garden, [...plants(), ...oddities(), ...hostile(), ...large()]);
}

function plants(): string[] {
  return Array.from({ length: plantCount }, (_, number) => [
    `plant${number} A ${plantAddress(number)}`,
    `plant${number} AAAA 2001:db8::${number.toString(16)}`,
  ]).flat();
}

function oddities(): string[] {
  return [
    'brief 3 A 198.51.100.7',
    'chain1 CNAME chain2',
    'chain2 CNAME chain3',
    'chain3 CNAME plant1',
    '@ MX 10 plant2',
    'shop HTTPS 1 . alpn=h2,h3 ipv4hint=198.51.100.9 ech=AEX+DQBBvAAgACA=',
    '_dns SVCB 1 plant3 alpn=dot port=853',
    '_853._tcp TLSA 3 1 1 8d02536c887482bc34ff54e41d2ba659bf85b341a0a20afadb5813dcfbcf286d',
    'certified CAA 0 issue "ca.example"',
    'routed NAPTR 10 20 "s" "SIP+D2U" "" _sip._udp',
    'sited LOC 52 22 23.000 N 4 53 32.000 E -2.00m 0.00m 10000m 10m',
    'unknown TYPE65280 \\# 6 deadbeef00ff',
    String.raw`\000\001\255binary TXT "a label of octets"`,
    String.raw`dotted\.label TXT "one label, not two"`,
    String.raw`texts TXT "\000\255" "" "three strings"`,
  ];
}

/** Responses that a public resolver should never give, and names that attack a terminal. */
function hostile(): string[] {
  return [
    'leak CNAME host.corp.example.',
    'rebind A 192.168.1.1',
    'rebind AAAA fd00::1',
    'selfish A 127.0.0.1',
    String.raw`red\027[31m TXT "escape"`,
    String.raw`bidi\226\128\174gpj TXT "right to left"`,
  ];
}

/** 240 texts of 255 octets: 64 kB with their headers, still room for padding below 65535. */
function large(): string[] {
  return Array.from(
    { length: 240 },
    (_, number) => `big TXT "${String(number).padStart(4, '0').repeat(63)}abc"`,
  );
}
