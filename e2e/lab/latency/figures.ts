/** Every figure, in the order of the tables. */
import type { Figure } from './figure.ts';
import { afterIdle } from './figures/after-idle.ts';
import { afterInterruption } from './figures/after-interruption.ts';
import { afterRest } from './figures/after-rest.ts';
import { amplification } from './figures/amplification.ts';
import { browsing140 } from './figures/browsing-140.ts';
import { burst } from './figures/burst.ts';
import { cases } from './figures/cases.ts';
import { firstEver } from './figures/first-ever.ts';
import { handshakeCpu } from './figures/handshake-cpu.ts';
import { loss } from './figures/loss.ts';
import { model } from './figures/model.ts';
import { replayedDay } from './figures/replayed-day.ts';

export const figures: readonly Figure[] = [
  cases,
  afterIdle,
  afterInterruption,
  afterRest,
  firstEver,
  burst,
  browsing140,
  handshakeCpu,
  loss,
  model,
  amplification,
  replayedDay,
];
