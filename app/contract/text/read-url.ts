/** Null: it is none. The oldest Electron that runs the tray has no URL.parse. */
export function readUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
