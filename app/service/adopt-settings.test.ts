/** In which order new settings reach the engine and the system's DNS. */
import { describe, expect, test } from 'vitest';
import { fail, succeed } from '../contract/errors.ts';
import { defaultSettings, type FlatSettings } from '../contract/settings/settings.ts';
import { nest } from '../contract/settings/settings-shape.ts';
import { adoptSettings } from './adopt-settings.ts';
import type { EffectiveSettings } from './settings/load-settings.ts';

const rule = { suffix: 'corp.example', to: ['192.0.2.53'] };
const bypass = [rule];

function effective(own: Partial<FlatSettings>): EffectiveSettings {
  const values = { ...defaultSettings, ...own };
  return { values, settings: nest(values) } as EffectiveSettings;
}

/** The system's DNS stays with Sotto until it is settled. */
class Machine {
  inForce: EffectiveSettings;
  taken: boolean;
  refuses = false;
  /** where an internal name went, at each step at which programs asked Sotto */
  readonly went: ('rule' | 'upstream')[] = [];
  told = 0;

  constructor(own: Partial<FlatSettings>) {
    this.inForce = effective(own);
    this.taken = this.inForce.settings.systemDns.take;
  }

  async adopt(wanted: EffectiveSettings) {
    const noted = () => void this.told++;
    const nothing = { configure() {} };
    return await adoptSettings(wanted, {
      protection: {
        inForce: () => this.inForce,
        adopt: async (next: EffectiveSettings) => {
          if (this.refuses && next === wanted) return fail('engine-refused', 'no', '');
          const isSame = next.settings === this.inForce.settings;
          this.inForce = next;
          this.#ask();
          return succeed(!isSame);
        },
      },
      systemDns: {
        settle: async () => {
          this.#ask();
          this.taken = this.inForce.settings.systemDns.take;
        },
      },
      queryLog: nothing,
      fleetView: nothing,
      crossCheck: nothing,
      health: { clear() {}, raise() {} },
      journal: { note: noted },
      settingsJournal: { inForce() {} },
      auditedSettings: { changed() {} },
      onBug(error: unknown) {
        throw error;
      },
    } as never);
  }

  #ask(): void {
    if (!this.taken) return;
    this.went.push(this.inForce.settings.bypass.length > 0 ? 'rule' : 'upstream');
  }
}

describe("what ends the take of the system's DNS", () => {
  test('takes no rule away before programs ask somebody else', async () => {
    const machine = new Machine({ 'systemDns.take': true, bypass });
    expect(await machine.adopt(effective({}))).toEqual({ ok: true, value: null });
    expect(machine.went).not.toContain('upstream');
    expect([machine.taken, machine.inForce.settings.bypass, machine.told]).toEqual([false, [], 1]);
  });

  test('leaves everything as it was where the engine refuses', async () => {
    const machine = new Machine({ 'systemDns.take': true, bypass });
    machine.refuses = true;
    expect(await machine.adopt(effective({}))).toMatchObject({ ok: false });
    expect([machine.taken, machine.inForce.settings.bypass]).toEqual([true, bypass]);
  });

  test('is told where nothing else changes', async () => {
    const machine = new Machine({ 'systemDns.take': true, bypass });
    await machine.adopt(effective({ bypass }));
    expect([machine.taken, machine.told]).toEqual([false, 1]);
  });
});

test("where the take stays, the system's DNS is not touched in between", async () => {
  const machine = new Machine({ 'systemDns.take': true, bypass });
  await machine.adopt(
    effective({ 'systemDns.take': true, bypass: [rule, { ...rule, suffix: 'a.example' }] }),
  );
  expect([machine.taken, machine.went]).toEqual([true, ['rule', 'rule']]);
});
