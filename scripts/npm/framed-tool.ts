/** The program of the npm package: the runner, on Node. */

import process from "node:process";
import { z } from "zod";
import { main } from "../runner/main.ts";

// The bundler leaves out what sets zod up where it is only imported by its names and part of the program is loaded later.
z.config({});

process.exitCode = await main(process.argv.slice(2));
