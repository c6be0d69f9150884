/** Each name goes to two operators, and the first response counts. */
import { notExactly, rarelyAnsweredBy } from './hearing.ts';
import { names } from './names.ts';
import type { Trial } from './trial.ts';

const [near, far] = [20, 100];
/** Queried once a death is noticed and the third operator is connected. */
const settled = 30;

export const race: Trial = {
  strategy: 'race',
  roundTripMs: { one: far, two: near, three: 50 },
  home: () => ['one', 'two'],
  async play(stage) {
    await stage.connected('one', 'two');
    await stage.ask('all sound', names('sound', 50));
    await stage.distance('one', near);
    await stage.distance('two', far);
    await stage.ask('one nearer than two', names('nearer', 50));
    await stage.distance('two', null);
    await stage.ask('two dead', names('dead', 100));
    await stage.comesBack('two', far);
    await stage.ask('two back', names('back', 50));
  },
  holds: {
    'all sound': (heard) => [
      ...notExactly(heard, ['one', 'two']),
      ...rarelyAnsweredBy(heard, 'two'),
    ],
    'one nearer than two': (heard) => [
      ...notExactly(heard, ['one', 'two']),
      ...rarelyAnsweredBy(heard, 'one'),
    ],
    'two dead': (heard) => [
      ...notExactly(heard, ['one', 'three'], heard.names.slice(-settled)),
      ...rarelyAnsweredBy(heard, 'one'),
    ],
    'two back': (heard) => [
      ...notExactly(heard, ['one', 'two']),
      ...rarelyAnsweredBy(heard, 'one'),
    ],
  },
};
