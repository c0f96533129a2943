import type { Columns } from '@tapline/plugin-sdk';

export const questionTypes = [
  'text',
  'textarea',
  'password',
  'integer',
  'float',
  'multiplechoice',
  'multiselect',
] as const;

/** contract/jobs.md §6.1; keys that nobody knows are kept. */
export interface Question {
  variable: string;
  question_name: string;
  question_description?: string;
  type: (typeof questionTypes)[number];
  required: boolean;
  /** `''` = none; of passwords what is stored is encrypted */
  default?: string | number;
  choices?: string | readonly string[];
  min?: number | null;
  max?: number | null;
  [key: string]: unknown;
}

export interface Survey {
  name: string;
  description: string;
  spec: readonly Question[];
}

/** Of a survey as it is stored, `{}` where there is none. */
export function questionsOf(stored: unknown): readonly Question[] {
  const { spec } = (stored ?? {}) as Partial<Survey>;
  return Array.isArray(spec) ? spec : [];
}

/** What a launch of the template asks: nothing while its survey is off. */
export const askedBy = (template: Columns): readonly Question[] =>
  template['survey_enabled'] === true ? questionsOf(template['survey_spec']) : [];

export const linesOf = (text: string): string[] => text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');

export const choicesOf = ({ choices = [] }: Pick<Question, 'choices'>): readonly string[] =>
  typeof choices === 'string' ? linesOf(choices) : choices;

export const isChoice = ({ type }: Pick<Question, 'type'>): boolean =>
  type === 'multiplechoice' || type === 'multiselect';

export const hasDefault = ({ default: value }: Question): boolean => value !== undefined && value !== '';
