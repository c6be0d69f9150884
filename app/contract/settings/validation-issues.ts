/** The validator's issues, one by one, each with its path. */
import type { z } from 'zod';

export type Path = readonly (string | number)[];

interface Issue {
  path: Path;
  reason: string;
}

export function readIssues(error: z.ZodError): Issue[] {
  return error.issues.flatMap((issue) => readIssue(issue as z.core.$ZodIssue, []));
}

function readIssue(issue: z.core.$ZodIssue, parent: Path): Issue[] {
  const path = [...parent, ...(issue.path as (string | number)[])];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key],
      reason: 'unknown field; check its spelling or remove it',
    }));
  if (issue.code === 'invalid_key') return issue.issues.flatMap((inner) => readIssue(inner, path));
  if (
    issue.code === 'invalid_union' &&
    issue.errors.length > 0 &&
    issue.message === 'Invalid input'
  )
    return closestBranch(issue.errors).flatMap((inner) => readIssue(inner, path));
  if (issue.code === 'too_big' && issue.origin === 'array')
    return [{ path, reason: `has more than ${issue.maximum} entries; remove some` }];
  return [{ path, reason: sayMessage(issue.message) }];
}

function sayMessage(message: string): string {
  if (message.endsWith('received undefined')) return 'this field is missing';
  return message.replace(/^Invalid input: /, '');
}

/** Of "text or list of texts", the issues of the form that was meant: the one whose own type fits. */
function closestBranch(branches: z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const meant = branches.find(
    (issues) => !issues.some((issue) => issue.code === 'invalid_type' && issue.path.length === 0),
  );
  return meant ?? branches[0] ?? [];
}

/** `upstreams`, 0, `address` to "upstreams[0].address" */
export function writePath(path: Path): string {
  return path
    .map((step) =>
      typeof step === 'number'
        ? `[${step}]`
        : /^[A-Za-z_][\w-]*$/.test(step)
          ? `.${step}`
          : `[${JSON.stringify(step)}]`,
    )
    .join('')
    .replace(/^\./, '');
}
