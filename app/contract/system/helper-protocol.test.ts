import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { helperRequest, longestHelperRequest } from './helper-protocol.ts';

const lines = z
  .strictObject({ accepted: z.array(z.string()), refused: z.array(z.string()) })
  .parse(
    JSON.parse(
      readFileSync(new URL('../../../native/helper/tests/requests.json', import.meta.url), 'utf8'),
    ),
  );

it.each(lines.accepted)('the helper and the service both know %s', (line) => {
  expect(helperRequest.safeParse(parsed(line)).success).toBe(true);
  expect(Buffer.byteLength(`${line}\n`)).toBeLessThanOrEqual(longestHelperRequest);
});

it.each(lines.refused)('neither knows %s', (line) => {
  expect(helperRequest.safeParse(parsed(line)).success).toBe(false);
});

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
