/**
 * What settings.json, the policies and their certificates said when they were last in force, kept in the state folder: what
 * vanishes goes on holding, also for the next start (docs/design/settings.md).
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeDurably } from '../base/durable-file.ts';
import { asHeld, type PolicyFile, policyText, readPolicy } from './policy-file.ts';
import type { Text } from './settings-file.ts';

export interface Remembered {
  /** of settings.json; null: it said nothing */
  settings: Text;
  policies: readonly PolicyFile[];
  /** PEM text by the absolute path of the file */
  certificates: ReadonlyMap<string, string>;
}

export const nothingRemembered: Remembered = {
  settings: null,
  policies: [],
  certificates: new Map(),
};

const memoryFile = z.strictObject({
  settings: z.string().nullable(),
  /** text of a policy by the path of its file */
  policies: z.record(z.string(), z.string()),
  certificates: z.record(z.string(), z.string()).default({}),
  /** those of these policies that are a signed profile */
  profiles: z.array(z.string()).default([]),
});

/** A file that is missing, or not one of ours, counts as empty. */
export function readMemory(file: string): Remembered {
  const parsed = memoryFile.safeParse(readJson(file));
  if (!parsed.success) return nothingRemembered;
  const { settings, policies, certificates, profiles } = parsed.data;
  return {
    settings,
    policies: Object.entries(policies).flatMap(([path, text]) => {
      const { policy } = readPolicy(path, text);
      const layer = profiles.includes(path) ? 'profile' : 'policy';
      return policy === null ? [] : [{ ...policy, layer, entries: policy.entries.map(asHeld) }];
    }),
    certificates: new Map(Object.entries(certificates)),
  };
}

/** Throws where the disk refuses. */
export function writeMemory(file: string, said: Remembered): void {
  const policies = Object.fromEntries(said.policies.map((one) => [one.file, policyText(one)]));
  const certificates = Object.fromEntries(said.certificates);
  const profiles = said.policies.filter(({ layer }) => layer === 'profile').map(({ file }) => file);
  // An earlier Sotto knows no profiles, and shall read the rest.
  const more = profiles.length === 0 ? {} : { profiles };
  const text = `${JSON.stringify({ settings: said.settings, policies, certificates, ...more })}\n`;
  if (readText(file) !== text) writeDurably(file, text);
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readText(file) ?? 'null');
  } catch {
    return null;
  }
}

function readText(file: string): Text {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
