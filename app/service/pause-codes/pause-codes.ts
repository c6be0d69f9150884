/** The challenge that is open, and whether a code is the response to it. At most one is open, and it opens at most once. */
import { readFileSync, statSync } from 'node:fs';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import {
  type PauseChallenge,
  type PauseRequest,
  readCode,
  writeChallenge,
} from '../../contract/protection/pause-code.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { MachineClock } from '../base/machine-clock.ts';
import { openAttempts } from './attempts.ts';
import { isResponse, type MachineKey, readMachineKey, someCode } from './pause-key.ts';

export interface PauseCodes {
  /** While one is open for as many minutes, it is the same again. */
  challenge(minutes: number): Result<PauseChallenge>;
  redeem(code: string): Result<{ minutes: number }>;
}

interface Parts {
  /** of the machine, put there by root */
  keyFile: string;
  /** how often a wrong code was given */
  attemptsFile: string;
  clock: MachineClock;
}

interface Open {
  request: PauseRequest;
  /** by both clocks */
  at: { wall: number; sinceBoot: number };
  wrong: number;
}

const validMs = 15 * 60_000;
const mostWrong = 5;

const askAgain = 'ask for another challenge, with sotto pause 30m, and read that to your help desk';

export function openPauseCodes({ keyFile, attemptsFile, clock }: Parts): PauseCodes {
  const attempts = openAttempts(attemptsFile, clock);
  let open: Open | null = null;

  /** By either clock: one that was set back does not lengthen it, one that stood still does not, either. */
  function isOver({ at }: Open): boolean {
    const wall = clock.wall() - at.wall;
    const sinceBoot = clock.sinceBoot() - at.sinceBoot;
    return wall < 0 || wall >= validMs || sinceBoot < 0 || sinceBoot >= validMs;
  }

  function present(): Open | null {
    if (open !== null && isOver(open)) open = null;
    return open;
  }

  function begin(request: PauseRequest): Open {
    open = { request, at: { wall: clock.wall(), sinceBoot: clock.sinceBoot() }, wrong: 0 };
    return open;
  }

  /** It is counted first, and compared then. */
  function judge(code: string, challenge: Open, key: MachineKey): Result<{ minutes: number }> {
    try {
      attempts.count();
      if (!isResponse(code, challenge.request, key)) return wrong(challenge);
      open = null;
      attempts.clear();
    } catch (error) {
      return fail(
        'state-unwritable',
        `can't write ${attemptsFile}: ${sayErrno(error)}; nothing was changed`,
        'free space on the disk and check who owns the folder',
        attemptsFile,
      );
    }
    return succeed({ minutes: challenge.request.minutes });
  }

  function wrong(challenge: Open): Result<never> {
    challenge.wrong += 1;
    if (challenge.wrong < mostWrong)
      return refused(
        'this is not the code for this challenge',
        `compare it with your help desk, and try again in ${seconds(attempts.wait())}`,
      );
    open = null;
    return refused(`this was the wrong code ${mostWrong} times`, askAgain);
  }

  return {
    challenge(minutes) {
      const key = readKey(keyFile);
      if (!key.ok) return key;
      const { machine } = key.value;
      const before = present();
      const same = before?.request.minutes === minutes && before.request.machine === machine;
      const { request, at } =
        before !== null && same ? before : begin({ machine, nonce: someCode(), minutes });
      return succeed({
        challenge: writeChallenge(request),
        minutes,
        expiresAt: at.wall + validMs,
      });
    },

    redeem(text) {
      const key = readKey(keyFile);
      if (!key.ok) return key;
      const challenge = present();
      if (challenge === null) return refused('no challenge is open', askAgain);
      const wait = attempts.wait();
      if (wait > 0)
        return refused(
          'a wrong code was given a moment ago, so this one was not looked at',
          `try again in ${seconds(wait)}`,
        );
      const code = readCode(text);
      if (code === null)
        return refused(
          'a code has eight letters and digits',
          'give the code that your help desk told you',
        );
      return judge(code, challenge, key.value);
    },
  };
}

/** Whoever can read the key can make codes. */
function readKey(file: string): Result<MachineKey> {
  const none = (why: string) =>
    fail(
      'no-pause-key',
      `no code can be checked here: ${file}: ${why}`,
      'an administrator puts the key there: sotto pause-code key --help',
      file,
    );
  try {
    const { mode, uid } = statSync(file);
    if ((mode & 0o077) !== 0) return none('others may read it; chmod 600 keeps them out');
    if (uid !== 0 && uid !== process.getuid?.()) return none('it belongs to another account');
    const key = readMachineKey(readFileSync(file, 'utf8'));
    return key === null ? none('it is no key') : succeed(key);
  } catch (error) {
    return none(sayErrno(error));
  }
}

function refused(message: string, remedy: string): Result<never> {
  return fail('pause-code-refused', message, remedy);
}

function seconds(milliseconds: number): string {
  const whole = Math.max(1, Math.ceil(milliseconds / 1000));
  return whole === 1 ? 'a second' : `${whole} seconds`;
}
