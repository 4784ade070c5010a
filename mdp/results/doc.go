// Package results reads and writes what is known about a model: results with their
// certificates, values, and policies.
//
// A [Result] is the answer to a question, with the question itself, so that package
// verify can check it from the model alone; its [Certificate] holds the vectors that
// prove it. [Write] and [Read] keep results in JSON files, without loss.
//
// [ReadAnswerFile] also reads answers that come from elsewhere: values and policies
// in CSV, and the schedulers that Storm exports.
package results
