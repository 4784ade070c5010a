package robots
import ("testing";"context";"github.com/mdpsolve/mdpsolve/mdp";"time")
func TestZZ(t *testing.T){
 for _,c:=range []struct{k int; cl []Class; law string}{
  {15,[]Class{{10,0.05},{10,0.1}},"exponential"},
  {15,[]Class{{20,0.05},{20,0.05}},"exponential"},
  {10,[]Class{{22,0.05}},"erlang:8"},
  {50,[]Class{{60,0.05}},"erlang:4"},
  {15,[]Class{{6,0.05},{6,0.1},{6,0.1}},"erlang:2"},
  {20,[]Class{{60,0.02},{60,0.02}},"exponential"},
 }{
  f:=Fleet{Classes:c.cl,Buffer:c.k,ServiceRate:1,StarvationWeight:1.4,Service:mustLaw(t,c.law,1)}
  size,_:=f.Forecast()
  b:=time.Now()
  s,err:=SolveFleet(context.Background(),f,mdp.Settings{Tolerance:1e-7})
  t.Log(c, size.States, size.Bytes/1e6, err, s.Gain, (s.Upper-s.Lower)/s.Upper, s.Method, s.Choice, s.Iterations, s.Elapsed, time.Since(b), s.Measures!=nil)
 }
}
