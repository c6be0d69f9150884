/** What the service holds now. The command line would take a Node of its own, longer than the page shows some messages. */
import type { EffectiveSetting } from '../../app/contract/settings/settings-methods.ts';
import { callService } from '../rig/call-service.ts';
import type { SottoService } from '../rig/sotto-service.ts';

export async function settingInForce(
  service: SottoService,
  key: string,
): Promise<EffectiveSetting | undefined> {
  const { settings } = await callService(service.controlSocket, 'settings.effective', {});
  return settings.find((setting) => setting.key === key);
}

export async function inForce(service: SottoService, key: string): Promise<unknown> {
  return (await settingInForce(service, key))?.value;
}

export async function rulesInForce(service: SottoService) {
  return (await callService(service.controlSocket, 'rule.list', {})).rules;
}
