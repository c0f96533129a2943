import type { Columns, PlanRequest } from '@tapline/plugin-sdk';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { type Answers, answerSurvey } from '../../surveys/answer-survey.ts';
import { defaultOf } from '../../surveys/defaults.ts';
import { askedBy } from '../../surveys/survey.ts';
import { mergeVariables } from '../../yaml/variables.ts';
import type { PromptValues } from './prompt.ts';

/** What a launch says to the survey of its template, which lets its own variables pass, whether others are asked for or not. */
export const answersOfLaunch = (
  keyRing: Pick<KeyRing, 'decrypt'>,
  template: Columns & { id: number },
  given: PromptValues,
  { origin, variables, secretVariables, ahead }: PlanRequest,
): Answers =>
  answerSurvey(askedBy(template), mergeVariables(given.extra_vars ?? {}, secretVariables ?? {}), {
    defaultOf: (question) => defaultOf(keyRing, template.id, question),
    // contract/jobs.md §6.4: who launches by hand sends defaults along
    unattended: origin.kind !== 'api',
    part: ahead === 'part',
    given: new Set(Object.keys(variables ?? {})),
  });
