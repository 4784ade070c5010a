// The start: a report if the file has one, else the page.
"use strict";

if (mdpsolve.report) mdpsolve.drawReport(mdpsolve.report);
else mdpsolve.startShell();
