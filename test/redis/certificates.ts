import { readFileSync } from "node:fs";

/** A file of test/redis/tls; make.sh there says how they were made. */
const pem = (name: string) => readFileSync(new URL(`tls/${name}.pem`, import.meta.url), "utf8");

const pair = (name: string) => ({ cert: pem(name), key: pem(`${name}-key`) });

/** The authority that signed all of the others. */
export const CA = pem("ca");
/** An authority that signed none of them. */
export const OTHER_CA = pem("other");
/** Of a server at 127.0.0.1. */
export const SERVER = pair("server");
/** Of a server that is called localhost, and by no address. */
export const NAMED = pair("named");
export const CLIENT = pair("client");
