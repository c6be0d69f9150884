/** The sequential client of this folder: mean time of a question whose answer is awaited before the next is asked. */
import { succeed } from '../e2e/system/process.ts';
import { builtPath, compile } from './compiler.ts';

export interface Sequence {
  asked: number;
  answered: number;
  lost: number;
  /** answers without data */
  failed: number;
  /** microseconds */
  mean: number;
  median: number;
  p99: number;
}

const warmUp = 300;
const questions = 5000;

export const provideSequential = () => compile('sequential');

export async function askInSequence(port: number): Promise<Sequence> {
  const args = [port, warmUp, questions, 'sequence.example'].map(String);
  return JSON.parse(await succeed(builtPath('sequential'), args)) as Sequence;
}
