/**
 * Sentences with parameters: "{name}", "{size:octets}" for a value in a form, "{n|query|queries}" for one word or the
 * other. Pure, and without a validator: the page fills its own languages with it.
 */

export type Value = string | number;
export type Form = (value: Value, all: Readonly<Record<string, Value>>) => string;

const place = /\{(\w+)(?::(\w+)|\|([^|{}]*)\|([^|{}]*))?\}/g;

/** `forms.plain` writes values without a form. An unknown form is written plain. */
export function fill(
  template: string,
  values: Readonly<Record<string, Value>>,
  forms: Readonly<Record<string, Form>> & { plain: Form },
): string {
  return template.replace(place, (_all, name: string, form?: string, one?: string, many = '') => {
    const value = values[name] ?? '';
    if (one !== undefined) return value === 1 ? one : many;
    return (forms[form ?? 'plain'] ?? forms.plain)(value, values);
  });
}

/** The names of the parameters, each once, and the forms in use. */
export function placesOf(template: string): { names: Set<string>; forms: Set<string> } {
  const found = [...template.matchAll(place)];
  return {
    names: new Set(found.map(([, name = '']) => name)),
    forms: new Set(found.flatMap(([, , form]) => form ?? [])),
  };
}

/** The same names, for the type checker. */
export type PlacesOf<Template extends string> =
  Template extends `${string}{${infer Place}}${infer Rest}`
    ? NameIn<Place> | PlacesOf<Rest>
    : never;
type NameIn<Place extends string> = Place extends `${infer Name}:${string}`
  ? Name
  : Place extends `${infer Name}|${string}`
    ? Name
    : Place;
