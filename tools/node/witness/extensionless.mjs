// Lets Node import packages that are written for bundlers and leave the ends of file names out.
import { register } from 'node:module';

const hook = `
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    for (const end of ['.js', '/index.js']) {
      try { return await next(specifier + end, context); } catch {}
    }
    throw error;
  }
}`;
register('data:text/javascript,' + encodeURIComponent(hook));
