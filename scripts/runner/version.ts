/** The one place of the runner's version, which is the npm package's too. Pure. */

export const VERSION = "0.1.0";
