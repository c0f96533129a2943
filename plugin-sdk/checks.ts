export { consolePageProblems, entryOf, missingModule, moduleAddress, pageFiles } from './checks/console-pages.ts';
export { fieldProblems, resourceProblems } from './checks/resource-names.ts';
export { lateCalls } from './checks/late-calls.ts';
export { navigationKey, navigationProblems } from './checks/navigation.ts';
export { pagesProblem, reservedForPrograms } from './checks/pages.ts';
export { rulesWithoutTheirRow } from './checks/rules-without-row.ts';
export { callers } from './checks/needs-row.ts';
export { objectRoles, roleProblem } from './checks/roles.ts';
