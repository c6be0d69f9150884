/** The programs that are measured, in the order of the tables. */
import type { Program } from './program.ts';
import { dnsdist } from './programs/dnsdist.ts';
import { dnsproxy } from './programs/dnsproxy.ts';
import { smartdns } from './programs/smartdns.ts';
import { sotto } from './programs/sotto.ts';
import { stubby } from './programs/stubby.ts';
import { unbound } from './programs/unbound.ts';

export const programs: readonly Program[] = [sotto, unbound, stubby, dnsdist, smartdns, dnsproxy];
