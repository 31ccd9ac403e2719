#!/usr/bin/env node
const fs = require("fs");
if (fs.existsSync("executed")) console.log("the check of the syntax executed this");
else {
  console.log("ok");
  try {
    fs.writeFileSync("executed", "");
  } catch (refused) {}
}
