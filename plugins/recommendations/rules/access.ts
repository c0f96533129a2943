import type { Rule } from '../rule.ts';

export const accessRules = {
  only_default_team: {
    id: 'only_default_team',
    scope: 'access',
    severity: 'info',
    title: 'Only the default team exists',
    action_link: '/teams',
    evaluate: ({ teams, first_team }) =>
      teams === 1 && first_team
        ? {
            why: 'Rights are given person by person. Teams let people come and go without anybody redoing their rights.',
          }
        : undefined,
  },
} satisfies Record<string, Rule>;
