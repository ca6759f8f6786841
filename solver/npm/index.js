// Questions to the games of a site that `yatzy site` wrote. Importing this has no side effects.
import { expect, hold, outcomes, score } from "./engine/answers.js";
import { review } from "./engine/review.js";
import { Site } from "./engine/site.js";

export { EngineError } from "./engine/errors.js";

export class Engine {
  #site;

  // The address of the folder of the site.
  constructor(address) {
    this.#site = new Site(new URL(String(address).replace(/\/?$/, "/")).href);
  }

  async games() {
    return (await this.#site.description()).rules.map(({ id, name }) => ({ id, name }));
  }

  hold(request, options) { return this.#ask(hold, request.rules, request, options); }

  score(request, options) { return this.#ask(score, request.rules, request, options); }

  expect(request = {}, options = {}) { return this.#ask(expect, request.rules, request, options); }

  outcomes(request, options) { return this.#ask(outcomes, request.rules, request, options); }

  review(request, options) { return this.#ask(review, request.game?.rules, request, options); }

  async #ask(question, rules, request, { signal } = {}) {
    return question(await this.#site.open(rules), request, signal);
  }
}
