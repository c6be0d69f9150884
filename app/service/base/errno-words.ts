/** What the system's error codes mean, as a part of a sentence; other errors in their own words. */

export function sayErrno(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return 'there is no such file';
    case 'ENOTDIR':
      return 'a part of its path is a file, not a folder';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied';
    case 'EISDIR':
      return 'it is a folder';
    case 'ENOSPC':
      return 'the disk is full';
    case 'ELOOP':
      return 'its symbolic links lead in a circle';
    case 'EROFS':
      return 'the file system is read-only';
    default:
      return messageOf(error);
  }
}

/** Whatever was thrown, in its own words. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
