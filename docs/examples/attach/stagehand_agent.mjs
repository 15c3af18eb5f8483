// Stagehand as an agent (npm install @browserbasehq/stagehand; OPENAI_API_KEY):
//
//     websp run --agent 'cdp:node stagehand_agent.mjs'

import { Stagehand } from '@browserbasehq/stagehand';

const { WEBSP_CDP_URL, WEBSP_FINISH_URL, WEBSP_START_URL, WEBSP_TASK, MODEL, OPENAI_API_KEY, OPENAI_BASE_URL } = process.env;
const stagehand = new Stagehand({
  env: 'LOCAL',
  localBrowserLaunchOptions: { cdpUrl: WEBSP_CDP_URL },
  model: { modelName: `openai/${MODEL ?? 'gpt-6.2-sol'}`, apiKey: OPENAI_API_KEY, baseURL: OPENAI_BASE_URL },
});
await stagehand.init();
const result = await stagehand.agent().execute({
  instruction: `${WEBSP_TASK} The website is open at ${WEBSP_START_URL}.`,
  maxSteps: 30,
});
await fetch(WEBSP_FINISH_URL, { method: 'POST', body: result.message });
await stagehand.close();
