/** Everything goes to the upstream that responded soonest lately; now and then one query checks whether that is still so. */
import { few, type Heard, hearersOf } from './hearing.ts';
import { names } from './names.ts';
import type { OperatorId } from './operators.ts';
import type { Trial } from './trial.ts';

/** Far enough apart for a busy machine to tell them apart. */
const roundTripMs = { one: 150, two: 20, three: 80 };
/** Queried once the measured times show the change. */
const settled = 20;

export const fastest: Trial = {
  strategy: 'fastest',
  roundTripMs,
  home: () => ['two'],
  async play(stage, long) {
    await stage.connected('one', 'two', 'three');
    await stage.ask('all sound', names('sound', 100));
    if (long) await stage.ask('all sound for 100 s', names('long', 1000), 10);
    await stage.distance('two', roundTripMs.two + 110);
    await stage.ask('two slow', names('slow', 40), 10);
    await stage.distance('two', roundTripMs.two);
    if (long) await stage.ask('two quick again, 150 s', names('quick', 750), 5);
  },
  holds: {
    'all sound': (heard) => [
      ...eachAtOne(heard),
      ...mostAt(heard, 'two', heard.names, 0.9),
      ...someAt(heard, 'one'),
      ...someAt(heard, 'three'),
    ],
    'all sound for 100 s': (heard) => [
      ...eachAtOne(heard),
      ...mostAt(heard, 'two', heard.names, 0.95),
      ...someAt(heard, 'three'),
    ],
    'two slow': (heard) => [
      ...eachAtOne(heard),
      ...someAt(heard, 'two'),
      ...mostAt(heard, 'three', heard.names.slice(-settled), 0.8),
    ],
    'two quick again, 150 s': (heard) => [
      ...eachAtOne(heard),
      ...mostAt(heard, 'two', heard.names.slice(-settled), 0.8),
    ],
  },
};

function eachAtOne(heard: Heard): string[] {
  const several = heard.names.filter((name) => hearersOf(heard, name).length > 1);
  return several.length === 0 ? [] : [`${few(several)} at several operators`];
}

function mostAt(heard: Heard, id: OperatorId, among: string[], share: number): string[] {
  const there = among.filter((name) => heard.by[id].has(name)).length;
  return there >= share * among.length ? [] : [`only ${there} of ${among.length} names at ${id}`];
}

function someAt(heard: Heard, id: OperatorId): string[] {
  return heard.by[id].size > 0 ? [] : [`none at ${id}`];
}
