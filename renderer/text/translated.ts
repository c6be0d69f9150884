/** The type of a translation: every key of the English part, functions with the same parameters. */
export type Translated<Part> = {
  readonly [Key in keyof Part]: Part[Key] extends string
    ? string
    : Part[Key] extends (...parameters: infer Parameters) => string
      ? (...parameters: Parameters) => string
      : Translated<Part[Key]>;
};
