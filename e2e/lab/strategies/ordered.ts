/** Everything goes to the first operator that works, however far it is. */
import { notExactly } from './hearing.ts';
import { names } from './names.ts';
import type { Trial } from './trial.ts';

const roundTripMs = { one: 100, two: 20, three: 50 };

export const ordered: Trial = {
  strategy: 'ordered',
  roundTripMs,
  home: () => ['one'],
  async play(stage) {
    await stage.connected('one');
    await stage.ask('all sound', names('sound', 50));
    await stage.distance('one', null);
    await stage.ask('one dead', names('dead', 50));
    await stage.distance('two', null);
    await stage.ask('one and two dead', names('dead-too', 50));
    await stage.comesBack('two', roundTripMs.two);
    await stage.ask('two back', names('back', 50));
    await stage.comesBack('one', roundTripMs.one);
    await stage.ask('one back', names('back-too', 50));
  },
  holds: {
    'all sound': (heard) => notExactly(heard, ['one']),
    'one dead': (heard) => notExactly(heard, ['two']),
    'one and two dead': (heard) => notExactly(heard, ['three']),
    'two back': (heard) => notExactly(heard, ['two']),
    'one back': (heard) => notExactly(heard, ['one']),
  },
};
