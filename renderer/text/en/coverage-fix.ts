/** Changes to the settings of other programs, so that their queries come to Sotto. */
export const coverageFix = {
  title: (program: string) => `Lead ${program} to Sotto`,
  means: (program: string) =>
    `${program} then asks this computer like every other program, for all its users. You can undo it at any time.`,
  changedFile: 'Changes',
  newFile: 'Adds',
  hiddenFile: 'Sets this in a file of which only root may read the rest:',
  nothing: 'Everything says so already: there is nothing to change.',
  change: 'Change it',
  undo: 'Undo',
  undoOf: (program: string) => `Undo the change to ${program}`,
  fixed: (program: string) => `${program}: led to Sotto`,
} as const;
