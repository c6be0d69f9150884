/** The contract's methods `pause.*`. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { ServiceHandlers, ServiceSession } from '../../contract/service-api.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import type { Protection } from '../protection/protection.ts';
import { pauseUntil, type Switch } from '../protection/switch.ts';
import type { PauseCodes } from './pause-codes.ts';

interface Parts {
  pauseCodes: PauseCodes;
  protection: Pick<Protection, 'inForce'>;
  turn(position: Switch): Promise<Result<ServiceStatus>>;
  whoIs(session: ServiceSession): string;
  now(): number;
}

type PauseHandlers = Pick<ServiceHandlers, Extract<keyof ServiceHandlers, `pause.${string}`>>;

export function createPauseCodeHandlers(parts: Parts): PauseHandlers {
  const { pauseCodes, protection, turn, now } = parts;

  const needsNone = () =>
    protection.inForce().settings.pause === 'code'
      ? null
      : fail('pause-code-refused', 'pausing needs no code here', 'pause with: sotto pause 30m');

  return {
    'pause.challenge': ({ minutes }) => needsNone() ?? pauseCodes.challenge(minutes),
    'pause.redeem': async ({ code }, session) => {
      const redeemed = needsNone() ?? pauseCodes.redeem(code);
      if (!redeemed.ok) return redeemed;
      const { minutes } = redeemed.value;
      const pause = pauseUntil({ minutes }, now(), parts.whoIs(session));
      const turned = await turn({ ...pause, byCode: true });
      return turned.ok ? succeed({ minutes, status: turned.value }) : turned;
    },
  };
}
