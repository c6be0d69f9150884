/** The native engine as Node sees it: native/binding/index.d.ts, generated from its sources. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as binding from '../../../native/binding/index.d.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { built } from '../../installation.ts';
import { messageOf } from '../base/errno-words.ts';
import type { Json } from './boundary.ts';

type Addon = typeof binding;

export type Engine = binding.Engine;
export type EngineOptions = binding.EngineOptions;

/** A fake of it may leave out what the rest of the service can do without. */
export type EngineAddon = Pick<Addon, 'Engine' | 'describe' | 'encodeQuery' | 'joinBus' | 'probe'> &
  Partial<Addon>;

export function parse<T>(text: Json<T>): T {
  return JSON.parse(text);
}

export function write<T>(value: T): Json<T> {
  return JSON.stringify(value);
}

const builtAddon = built('addon/sotto.node');

export function loadEngineAddon(file: string = builtAddon): Result<EngineAddon> {
  if (!existsSync(file))
    return fail(
      'engine-missing',
      `the native engine is not built: ${file} does not exist`,
      'run "npm start" once; it builds what is missing',
      file,
    );
  try {
    return succeed(createRequire(import.meta.url)(file) as EngineAddon);
  } catch (error) {
    return fail(
      'engine-missing',
      `the native engine can't be loaded: ${messageOf(error)}`,
      'delete it and run "npm start", which builds it for this machine',
      file,
    );
  }
}

/** The addresses that a guardian holds for us; null: there is no guardian. */
export function addressesOfGuardian(addon: EngineAddon): string[] | null {
  const isGuarded = (addon.guarded?.() ?? null) !== null;
  return isGuarded ? (addon.inheritedAddresses?.() ?? []) : null;
}
