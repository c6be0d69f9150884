/** What the service holds now. */
import type { EffectiveSetting } from '../../app/contract/settings/settings-methods.ts';
import type { SottoService } from '../rig/sotto-service.ts';

export async function settingInForce(
  service: SottoService,
  key: string,
): Promise<EffectiveSetting | undefined> {
  const { settings } = await service.call('settings.effective', {});
  return settings.find((setting) => setting.key === key);
}

export async function inForce(service: SottoService, key: string): Promise<unknown> {
  return (await settingInForce(service, key))?.value;
}

export async function rulesInForce(service: SottoService) {
  return (await service.call('rule.list', {})).rules;
}
