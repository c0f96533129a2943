import { consolePageProblems, missingModule } from '../checks/console-pages.ts';
import { navigationProblems } from '../checks/navigation.ts';
import { rulesWithoutTheirRow } from '../checks/rules-without-row.ts';
import { pagesProblem } from '../checks/pages.ts';
import { fieldProblems, resourceProblems } from '../checks/resource-names.ts';
import type { Contributions } from './recorded.ts';

/** What the service refuses at its start as well. */
export const nameProblems = ({ resources, extensions }: Contributions): string[] => [
  ...resources.flatMap((resource) =>
    resourceProblems(resource).map((problem) => `resource ${resource.type}: ${problem}`),
  ),
  ...extensions.flatMap(({ type, extension }) =>
    fieldProblems(extension.fields).map((problem) => `extension of ${type}: ${problem}`),
  ),
];

/** Routes and actions of lists are asked for without a row. */
export async function rowlessProblems(contributions: Contributions): Promise<string[]> {
  const wrong = await rulesWithoutTheirRow(contributions);
  return wrong.map(({ on, where, rule }) => `${on.join(' ')}: ${where} has the rule "${rule}", which needs a row`);
}

export const pageProblems = ({ pages, consolePages }: Contributions): string[] => [
  ...pages.flatMap((one) => {
    const problem = pagesProblem(one);
    return problem === undefined ? [] : [`pages at ${one.path}: ${problem}`];
  }),
  ...consolePages.flatMap((one) => {
    const problem = missingModule(one);
    return problem === undefined ? [] : [`page ${one.path}: ${problem}`];
  }),
];

export const entryProblems = ({ navigation, consolePages }: Contributions): string[] => [
  ...navigation.flatMap((entry) =>
    navigationProblems(entry).map((problem) => `navigation entry ${entry.path}: ${problem}`),
  ),
  ...consolePages.flatMap((page) => consolePageProblems(page).map((problem) => `page ${page.path}: ${problem}`)),
];
