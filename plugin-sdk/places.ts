/** Where `{workspace}` and `{tmp}` of an ExecSpec lie. */
export interface Places {
  workspace: string;
  tmp: string;
}

/** Puts the paths in place of `{workspace}` and `{tmp}`; `{{}` is a brace. */
export const expandPlaces = (text: string, places: Places): string =>
  text.replace(/\{(workspace|tmp|\{)\}/g, (_all, name: string) => (name === '{' ? name : places[name as keyof Places]));

/** A text that stays as it is where `{workspace}` and `{tmp}` are replaced: for what users wrote. */
export const literal = (text: string): string => text.replace(/\{(?=(?:workspace|tmp|\{)\})/g, '{{}');
