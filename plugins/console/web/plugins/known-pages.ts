import { makeRoutesKnown } from '@tapline/console-kit/shell';
import { routes } from '../routes.ts';

makeRoutesKnown(routes);
